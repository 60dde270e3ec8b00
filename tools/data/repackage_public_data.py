"""Take the small public data sets out of the packages that ship them.

Needs: pip install babel==2.19.0 scikit-learn==1.9.1 scikit-image==0.26.0 pillow
Run:   python repackage_public_data.py OUT_DIR [cldr digits calibration images]
"""

import argparse
import json
from pathlib import Path

import numpy as np

DATE_LANGUAGES = "en fr de es it pt nl sv da nb fi pl cs hu ro tr id ca el ru uk hi ja zh ar"
NAME_LANGUAGES = ("en", "fr", "de", "es", "ru", "el")


def write_json(path, content):
    """Write compact, readable JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False, indent=0), encoding="utf-8")


def cldr(out):
    """Date formats of 25 languages; names of things in six."""
    import babel
    from babel.core import Locale, get_cldr_version

    head = {"source": f"Unicode CLDR {get_cldr_version()} via babel {babel.__version__}"}
    head["licence"] = "Unicode-3.0"
    languages = {}
    for code in DATE_LANGUAGES.split():
        locale = Locale(code)
        languages[code] = {
            "name": locale.english_name,
            "months": [locale.months["format"]["wide"][i] for i in range(1, 13)],
            "months_short": [locale.months["format"]["abbreviated"][i] for i in range(1, 13)],
            "weekdays": [locale.days["format"]["wide"][i] for i in range(7)],
            "patterns": {k: locale.date_formats[k].pattern for k in ("full", "long", "medium", "short")},
        }
    write_json(out / "cldr" / "cldr_dates.json", head | {"languages": languages})
    names = {}
    for kind in ("territories", "languages", "currencies"):
        table = {code: getattr(Locale(code), kind) for code in NAME_LANGUAGES}
        rows = {key: {code: table[code].get(key) for code in NAME_LANGUAGES} for key in sorted(table["en"])}
        names[kind] = {
            key: row
            for key, row in rows.items()
            if not (kind == "territories" and key.isdigit()) and all(row[c] for c in ("en", "fr", "de", "es"))
        }
    write_json(out / "cldr" / "cldr_names.json", head | names)


def digits(out):
    """Repackage scikit-learn's bundled digits."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    images, labels = bunch.images.astype(np.uint8), bunch.target.astype(np.uint8)
    np.savez_compressed(out / "digits.npz", images=images, labels=labels)


def calibration(out):
    """Write the logits of two classifiers trained on 500 noisy digits, for 400 and 897 others."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    x, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    x = x / 16 + rng.normal(0, 0.2, x.shape)
    order = rng.permutation(len(x))
    train, validation, test = order[:500], order[500:900], order[900:]
    mlp = MLPClassifier((128,), alpha=1e-5, max_iter=400, random_state=0).fit(x[train], y[train])
    logistic = LogisticRegression(C=100, max_iter=3000).fit(x[train], y[train])

    def mlp_logits(inputs):
        hidden = np.maximum(inputs @ mlp.coefs_[0] + mlp.intercepts_[0], 0)
        return hidden @ mlp.coefs_[1] + mlp.intercepts_[1]

    (out / "calibration").mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        out / "calibration" / "digit_logits.npz",
        mlp_validation=mlp_logits(x[validation]).astype(np.float32),
        mlp_test=mlp_logits(x[test]).astype(np.float32),
        logistic_validation=logistic.decision_function(x[validation]).astype(np.float32),
        logistic_test=logistic.decision_function(x[test]).astype(np.float32),
        validation_labels=y[validation].astype(np.uint8),
        test_labels=y[test].astype(np.uint8),
    )


def images(out):
    """Scale down a photograph."""
    import skimage.data
    from PIL import Image

    (out / "images").mkdir(parents=True, exist_ok=True)
    picture = Image.fromarray(skimage.data.camera()).resize((128, 128), Image.Resampling.LANCZOS)
    picture.save(out / "images" / "camera.png", optimize=True)


def main():
    """Run the named parts, or all of them."""
    parts = {f.__name__: f for f in (cldr, digits, calibration, images)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out_dir", type=Path)
    parser.add_argument("parts", nargs="*", default=list(parts), metavar="part", help=", ".join(parts))
    args = parser.parse_args()
    args.out_dir.mkdir(parents=True, exist_ok=True)
    for name in args.parts:
        parts[name](args.out_dir)


if __name__ == "__main__":
    main()
