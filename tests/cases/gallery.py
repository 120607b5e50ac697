"""Matrices on which algorithms of linear algebra are known to go wrong, each with its source.

ASNA is Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed.; AEP is Wilkinson, *The
Algebraic Eigenvalue Problem*; GVL is Golub & Van Loan, *Matrix Computations*, 4th ed.
"""

from math import comb
from typing import NamedTuple

import numpy as np


def _from(n, entry):
    return np.array([[float(entry(i, j)) for j in range(1, n + 1)] for i in range(1, n + 1)])


# --- Symmetric and positive definite ------------------------------------------------------------


def hilbert(n):
    """Condition number about e^3.5n (ASNA 28.1)."""
    return _from(n, lambda i, j: 1 / (i + j - 1))


def pascal(n):
    """Binomials: determinant 1, an integer inverse, condition about 16^n / nπ (ASNA 28.4)."""
    return _from(n, lambda i, j: comb(i + j - 2, i - 1))


def moler(n):
    """Integers with one tiny eigenvalue and else large ones (Nash, *Compact Numerical Methods*)."""
    return _from(n, lambda i, j: i if i == j else min(i, j) - 2)


def minimum(n):
    """min(i, j): its inverse is tridiagonal (Gregory & Karney, *A Collection of Matrices*)."""
    return _from(n, min)


# --- Symmetric ----------------------------------------------------------------------------------


def wilkinson_plus(n):
    """W+: pairs of eigenvalues that agree to all digits, none of them double (AEP 5.45)."""
    return _from(n, lambda i, j: abs(i - (n + 1) / 2) if i == j else abs(i - j) == 1)


def rosser():
    """A double eigenvalue, three that nearly agree, a zero and a tiny one (Rosser et al., 1951)."""
    quarter = np.array(
        [
            [611, 196, -192, 407, -8, -52, -49, 29],
            [196, 899, 113, -192, -71, -43, -8, -44],
            [-192, 113, 899, 196, 61, 49, 8, 52],
            [407, -192, 196, 611, 8, 44, 59, -23],
            [-8, -71, 61, 8, 411, -599, 208, 208],
            [-52, -43, 49, 44, -599, 411, 208, 208],
            [-49, -8, 8, 59, 208, 208, 99, -911],
            [29, -44, 52, -23, 208, 208, -911, 99],
        ]
    )
    return quarter.astype(float)


def sines(n):
    """Symmetric and orthogonal, with growth (n + 1) / 2 (Higham & Higham, 1989; ASNA 9.4)."""
    return _from(n, lambda i, j: (2 / (n + 1)) ** 0.5 * np.sin(i * j * np.pi / (n + 1)))


# --- Of no symmetry -----------------------------------------------------------------------------


def growing(n):
    """Growth 2^(n-1) in elimination with partial pivoting, the largest there is (AEP 4.26)."""
    return _from(n, lambda i, j: 1 if i == j or j == n else -1 if i > j else 0)


def kahan(n):
    """A triangle whose smallest singular value hides from its diagonal (Kahan, 1966; ASNA 8.3)."""
    s, c = np.sin(1.2), np.cos(1.2)
    return _from(n, lambda i, j: s ** (i - 1) * (1 if i == j else -c if i < j else 0))


def minus_ones_above(n):
    """Unit triangle with -1 above, of condition number n 2^(n-1) (GVL 2.6.3)."""
    return _from(n, lambda i, j: 1 if i == j else -1 if i < j else 0)


def frank(n):
    """Hessenberg, with small eigenvalues that are ill-conditioned (Frank, 1958; ASNA 28.5)."""
    return _from(n, lambda i, j: n + 1 - max(i, j) if j >= i - 1 else 0)


def companion(n):
    """Companion matrix of the polynomial with roots 1, ..., n (Wilkinson, 1963)."""
    a = np.diag(np.ones(n - 1), -1)
    a[0] = -np.poly(np.arange(1.0, n + 1))[1:]
    return a


def grcar(n):
    """Toeplitz and far from normal, with sensitive eigenvalues (Grcar, 1989)."""
    return _from(n, lambda i, j: -1 if i == j + 1 else 0 <= j - i <= 3)


def forsythe(n):
    """Jordan block with √eps in its corner: eigenvalues on a circle (Gregory & Karney)."""
    return jordan(n) - np.eye(n) + 2.0**-26 * np.eye(n, k=1 - n)


def jordan(n):
    """One defective eigenvalue, 1 (GVL 7.1.5)."""
    return np.eye(n) + np.eye(n, k=1)


def hidden_jordan(n):
    """Jordan blocks of 1 and 2 behind a similarity by Pascal's triangle, exact in integers."""
    half = n // 2
    blocks = np.eye(n, k=1) + np.diag([1.0] * half + [2.0] * (n - half))
    blocks[half - 1, half] = 0
    lower = _from(n, lambda i, j: comb(i - 1, j - 1))
    inverse = _from(n, lambda i, j: (-1) ** (i - j) * comb(i - 1, j - 1))
    return lower @ blocks @ inverse


def graded_rows(n):
    """Rows that shrink by 16 each: norms say little about the last ones."""
    return sines(n) * 16.0 ** -np.arange(n)[:, None]


def graded_columns(n):
    """Columns that shrink by 16 each."""
    return graded_rows(n).T


def graded_both(n):
    """Rows and columns that shrink by 4 each, the grading that eigenvalues like best."""
    scale = 4.0 ** -np.arange(n)
    return scale[:, None] * minimum(n) * scale


def nearly_singular(n):
    """Rank one and a grain of the identity: n - 1 singular values are 2^-36."""
    return np.ones((n, n)) + 2.0**-36 * np.eye(n)


def deficient(n):
    """Integers of rank n // 2."""
    i = np.arange(1, n + 1)[:, None] * np.arange(1, n // 2 + 1)
    left, right = np.mod(i * i + 1, 5.0), np.mod(i + 2, 3.0).T
    return (left + 3 * np.eye(*left.shape)) @ (right + 3 * np.eye(*right.shape))


def magic():
    """Dürer's square of rank 3, which elimination in floating point makes regular."""
    square = [[16, 3, 2, 13], [5, 10, 11, 8], [9, 6, 7, 12], [4, 15, 14, 1]]
    return np.array(square, float)


def shift(n):
    """Cyclic permutation: orthogonal, with all roots of 1 as eigenvalues; QR stands still on it."""
    return np.roll(np.eye(n), 1, axis=0)


def with_phases(a):
    """The complex matrix D a Dᴴ, D = diag(1, i, -1, -i, 1, ...): exact, and unitarily similar."""
    phases = np.array([1, 1j, -1, -1j])[np.arange(len(a)) % 4]
    return phases[:, None] * a * phases.conj()


class Specimen(NamedTuple):
    """A matrix of the gallery; `growth` is that of its elimination with partial pivoting."""

    matrix: np.ndarray
    growth: float = 1.0


GALLERY = {
    "zero": Specimen(np.zeros((5, 5))),
    "identity": Specimen(np.eye(6)),
    "hilbert 5": Specimen(hilbert(5)),
    "hilbert 8": Specimen(hilbert(8)),
    "hilbert 14": Specimen(hilbert(14)),
    "pascal 6": Specimen(pascal(6)),
    "pascal 12": Specimen(pascal(12)),
    "moler 10": Specimen(moler(10)),
    "moler 14": Specimen(moler(14)),
    "minimum 12": Specimen(minimum(12)),
    "wilkinson plus 21": Specimen(wilkinson_plus(21)),
    "rosser": Specimen(rosser()),
    "sines 9": Specimen(sines(9), 5.0),
    "growing 10": Specimen(growing(10), 2.0**9),
    "growing 30": Specimen(growing(30), 2.0**29),
    "kahan 8": Specimen(kahan(8)),
    "kahan 18": Specimen(kahan(18)),
    "minus ones above 10": Specimen(minus_ones_above(10)),
    "frank 8": Specimen(frank(8)),
    "frank 12": Specimen(frank(12)),
    "companion 8": Specimen(companion(8)),
    "companion 14": Specimen(companion(14)),
    "grcar 10": Specimen(grcar(10)),
    "forsythe 10": Specimen(forsythe(10)),
    "jordan 6": Specimen(jordan(6)),
    "hidden jordan 8": Specimen(hidden_jordan(8)),
    "graded rows 10": Specimen(graded_rows(10), 5.5),
    "graded columns 10": Specimen(graded_columns(10), 5.5),
    "graded both 10": Specimen(graded_both(10)),
    "nearly singular 10": Specimen(nearly_singular(10)),
    "deficient 10": Specimen(deficient(10)),
    "magic": Specimen(magic()),
    "shift 9": Specimen(shift(9)),
}
"""Of real numbers; `with_phases` makes complex ones of them."""
