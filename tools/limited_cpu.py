"""Run a command as if on an older processor: numpy and its BLAS may use no recent instruction.

Nothing a notebook prints may depend on the machine. Running the notebooks a second time this way shows
that it does not, without a second machine.

    python tools/limited_cpu.py COMMAND [ARGUMENT ...]
"""

import os
import subprocess
import sys

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__


def limited_environment():
    """Return the environment in which numpy and OpenBLAS keep to their common ground."""
    usable = [feature for feature in __cpu_dispatch__ if __cpu_features__.get(feature)]
    limits = {"NPY_DISABLE_CPU_FEATURES": " ".join(usable)} if usable else {}
    return os.environ | limits | {"OPENBLAS_CORETYPE": "Haswell"}


if __name__ == "__main__":
    sys.exit(subprocess.call(sys.argv[1:], env=limited_environment()))
