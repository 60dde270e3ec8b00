"""Train every reader of the book on all cores and write attnlib/data/results and attnlib/data/readers.

    python tools/train.py [TABLE ...]       all tables of attnlib.experiments when none is named

Every process computes with one thread, so that the numbers depend on the processor alone.
"""

import json
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np

from attnlib.experiments import SEEDS, SETTINGS, STORED, TABLES, TEST_SEED, run

DATA = Path(__file__).resolve().parent.parent / "attnlib" / "data"


def store(table, rows):
    """Write the rows of a table, one a line, with the settings that made them."""
    settings = SETTINGS["strips" if table == "strips" else "dates"] | {"test seed": TEST_SEED}
    head = json.dumps({"settings": settings}, separators=(",", ":"))
    lines = (json.dumps({"key": key} | row, ensure_ascii=False, separators=(",", ":")) for key, row in rows)
    text = head[:-1] + ',"rows":[\n' + ",\n".join(lines) + "\n]}\n"
    (DATA / "results" / f"{table}.json").write_text(text, encoding="utf-8", newline="\n")


def main(names):
    """Run the tables of these names, or all."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}  # the workers'
    (DATA / "results").mkdir(exist_ok=True)
    (DATA / "readers").mkdir(exist_ok=True)
    jobs = [(table, key) for table in names or TABLES for key in TABLES[table][1]]
    rows, began = {table: [] for table, _ in jobs}, perf_counter()
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        results = pool.map(run, *zip(*jobs, strict=True))
        for done, ((table, key), (row, parameters)) in enumerate(zip(jobs, results, strict=True), start=1):
            rows[table].append((key, row))
            if key[-1] == SEEDS[0] and key[0] in STORED.get(table, ()):
                np.savez_compressed(DATA / "readers" / f"{table}_{key[0]}.npz", **parameters)
            print(f"{done:3d} of {len(jobs)}, {perf_counter() - began:4.0f} s: {table} {key}", flush=True)
    for table, done in rows.items():
        store(table, done)


if __name__ == "__main__":
    main(sys.argv[1:])
