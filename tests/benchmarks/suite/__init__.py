"""The benchmarks that asv imports; they need NumPy, SciPy and numerics, and nothing else."""
