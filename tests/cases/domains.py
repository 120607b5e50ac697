"""Where a promise holds, and where an op is differentiable."""

import numpy as np

from cases import Problem


def everywhere(problem: Problem) -> bool:
    """Every input."""
    return True


def nowhere(problem: Problem) -> bool:
    """No input."""
    return False


def finite(problem: Problem) -> bool:
    """Numbers that are neither NaN nor infinite."""
    return all(a.dtype == object or bool(np.isfinite(a).all()) for a in problem.arrays)


def _double(a):
    return np.asarray(a, np.result_type(a.dtype, np.float64))


def invertible(problem: Problem) -> bool:
    """The first array holds matrices that are far from singular."""
    if not finite(problem):
        return False
    s = np.linalg.svd(_double(problem.arrays[0]), compute_uv=False)
    return bool((s[..., -1] > 1e-12 * s[..., 0]).all())


def off_the_negative_axis(problem: Problem) -> bool:
    """Invertible, and no eigenvalue is a negative number."""
    w = np.linalg.eigvals(_double(problem.arrays[0])).astype(complex)
    return invertible(problem) and bool((np.abs(w) + w.real > 1e-8 * np.abs(w)).all())


full_rank = invertible
"""The smaller dimension is the rank."""


def positive_definite(problem: Problem) -> bool:
    """The triangle that is read belongs to a positive-definite matrix."""
    a = hermitian(problem.arrays[0], "U" if problem.static["upper"] else "L")
    w = np.linalg.eigvalsh(_double(a))
    return bool((w[..., 0] > 1e-12 * w[..., -1]).all())


def hermitian(a, UPLO):
    """Return the Hermitian matrices that one triangle of `a` stands for."""
    part = np.triu(a, 1) if UPLO == "U" else np.tril(a, -1)
    diagonal = np.real(a) * np.eye(a.shape[-1], dtype=a.dtype)
    return (part + part.conj().swapaxes(-2, -1) + diagonal).astype(a.dtype)


def _are_apart(values):
    """No two of the last axis are close to each other."""
    gaps = np.abs(values[..., :, None] - values[..., None, :])
    n = values.shape[-1]
    scale = np.abs(values).max(axis=-1, initial=0)[..., None, None]
    return bool((gaps + scale * np.eye(n) > 1e-6 * scale).all())


def distinct_eigenvalues(problem: Problem) -> bool:
    """Simple eigenvalues, which vary smoothly with the matrix."""
    return _are_apart(np.linalg.eigvals(_double(problem.arrays[0])))


def distinct_hermitian_eigenvalues(problem: Problem) -> bool:
    """Simple eigenvalues of the triangle that is read."""
    a = hermitian(problem.arrays[0], problem.static["UPLO"])
    return _are_apart(np.linalg.eigvalsh(_double(a)))


def distinct_singular_values(problem: Problem) -> bool:
    """Simple singular values that are not 0."""
    s = np.linalg.svd(_double(problem.arrays[0]), compute_uv=False)
    return full_rank(problem) and _are_apart(s)


def rank_is_clear(problem: Problem) -> bool:
    """No singular value is near the one at which `rcond` cuts."""
    s = np.linalg.svd(_double(problem.arrays[0]), compute_uv=False)
    cut = problem.static["rcond"] * s[..., :1]
    return finite(problem) and bool(((s > 10 * cut) | (s < cut / 10)).all())


def smooth_norm(problem: Problem) -> bool:
    """No kink of the norm: no zero, no two magnitudes or sums that compete for an extreme."""
    (x,) = problem.arrays
    order = problem.static["ord"]
    if order == 0 or x.dtype == object:
        return False
    magnitudes = np.abs(x)
    if order in ("fro", 2):
        return bool((magnitudes > 0).any())
    return bool((magnitudes > 0).all())
