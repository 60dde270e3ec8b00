"""What every test of the book shares."""

import os

from hypothesis import settings

# The same examples on every machine: a red test must be red for everyone.
settings.register_profile("book", derandomize=True, deadline=None)
settings.load_profile("book")
os.environ["TQDM_DISABLE"] = "1"  # no progress bars here, nor in the kernels of notebooks
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # waiting threads made training 7 times slower


DRAWING = {"image/svg+xml", "text/html"}  # the two forms of one drawing


def without_drawing(output):
    """Return an output of a cell with the words of its drawing alone."""
    data = output.get("data", {})
    if "image/svg+xml" not in data:
        return output
    return type(output)(output, data={kind: data[kind] for kind in data if kind not in DRAWING})


def pytest_itemcollected(item):
    """Leave drawings out of the comparison of notebook outputs.

    Notebooks are stored without pictures. What a picture shows is compared all the same: the text
    alternative that stands beside it is written from the same data.
    """
    if compare := getattr(item, "compare_outputs", None):
        item.compare_outputs = lambda test, ref, *rest: compare(
            [without_drawing(output) for output in test], ref, *rest
        )
