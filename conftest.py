"""What every test of the book shares."""

import os

from hypothesis import settings

# The same examples on every machine: a red test must be red for everyone.
settings.register_profile("book", derandomize=True, deadline=None)
settings.load_profile("book")
os.environ["TQDM_DISABLE"] = "1"  # no progress bars here, nor in the kernels of notebooks
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # waiting threads made training 7 times slower


def pytest_collectstart(collector):
    """Leave drawings out of the comparison of notebook outputs.

    Notebooks are stored without pictures. What a picture shows is compared all the same: the text
    alternative that stands beside it is written from the same data.
    """
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("image/svg+xml",)
