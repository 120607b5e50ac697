"""The benchmarks that asv imports; they need NumPy, SciPy and numerics, and nothing else.

BLAS runs one thread unless the environment says otherwise: NumPy and SciPy bring an OpenBLAS
each, and on a busy machine a thread that waits for its partner can cost a hundred times the work.
The libraries read these variables when they load, so the scripts import this package before NumPy.
asv loads NumPy first: there the variable comes from asv.conf.json, or stands before the command.
"""

import os
import sys

ASSUMED = [
    name
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    if "numpy" not in sys.modules and name not in os.environ
]
"""The variables that are set here, and not by the user."""

os.environ.update(dict.fromkeys(ASSUMED, "1"))
