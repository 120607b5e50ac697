"""Drivers of the singular value decomposition, and matrices on which they differ."""

import math

import numpy as np
import pytest

from numerics import linalg

DRIVERS = [None, "gesdd", "gesvd", "jacobi"]
EPS = 2.0**-52
RNG = np.random.default_rng(3)


def companion(n):
    """A companion matrix: all singular values but two are 1, the largest is 4.6e29 for n = 28."""
    a = np.diag(np.ones(n - 1), -1)
    a[0] = [-float(math.factorial(n)) / math.factorial(n - 1 - j) for j in range(n)]
    return a


def as_complex(a):
    """The same singular values, times phases."""
    phases = np.exp(1j * np.arange(a.shape[-1]))
    return a * phases


GRADED = {
    "companion": (companion(28), 1.0),
    "[1, 0; 1e18, 1]": (np.array([[1.0, 0.0], [1e18, 1.0]]), 1e-18),
    "its transpose": (np.array([[1.0, 1e18], [0.0, 1.0]]), 1e-18),
    "more columns than rows": (np.array([[1.0, 1e18, 0.0], [0.0, 1.0, 0.0]]), 1e-18),
    "far apart": (np.diag([1e-130, 1e200, 1e-100]), 1e-130),
    "overflowing squares": (np.diag([1e308, 1e-60, 1e300]), 1e-60),
    "subnormal": (np.diag([1e-320, 1e-300]), 1e-320),
}
by_matrix = pytest.mark.parametrize(("a", "value"), GRADED.values(), ids=GRADED)


@by_matrix
@pytest.mark.parametrize("driver", [None, "jacobi"])
@pytest.mark.parametrize("kind", [np.asarray, as_complex], ids=["real", "complex"])
def test_small_singular_values_of_graded_matrices_are_right(a, value, driver, kind):
    s = linalg.svdvals(kind(a), driver=driver)

    small = s[-1] if value < 1 else s[1:-1]
    assert small == pytest.approx(value, rel=1e-12, abs=0)


@by_matrix
@pytest.mark.parametrize("full_matrices", [True, False])
def test_singular_values_agree_with_and_without_vectors_of_graded_matrices(a, value, full_matrices):
    s = linalg.svd(a, full_matrices=full_matrices).S

    assert s == pytest.approx(linalg.svdvals(a), rel=1e-12, abs=0)


def test_the_smallest_singular_value_of_the_companion_matrix_is_right():
    # The largest and the smallest of a companion matrix multiply to the magnitude of the constant
    # coefficient.
    a = companion(28)

    s = linalg.svdvals(a)

    assert s[0] * s[-1] == pytest.approx(abs(a[0, -1]), rel=1e-12)


def low_rank(shape, rank):
    m, n = shape
    return RNG.integers(-3, 4, (m, rank)).astype(float) @ RNG.integers(-3, 4, (rank, n))


ANY = {
    "square": RNG.standard_normal((6, 6)),
    "tall": RNG.standard_normal((7, 3)),
    "wide": RNG.standard_normal((3, 8)),
    "complex": RNG.standard_normal((5, 4)) + 1j * RNG.standard_normal((5, 4)),
    "complex and wide": RNG.standard_normal((4, 6)) + 1j * RNG.standard_normal((4, 6)),
    "low rank": low_rank((6, 5), 2),
    "low rank and wide": low_rank((4, 7), 2),
    "zero": np.zeros((3, 4)),
    "one entry": np.eye(1, 5),
    "one column": np.ones((5, 1)),
    "equal rows": np.ones((4, 4)),
    "columns of zeros": np.diag([0.0, 1.0, 0.0, 1e-20]),
    "columns far apart": RNG.standard_normal((5, 5)) * 10.0 ** np.arange(0, 50, 10),
    "rows far apart": (RNG.standard_normal((6, 4)) * 10.0 ** np.arange(0, 40, 10)).T,
    "huge": RNG.standard_normal((4, 4)) * 1e305,
    "tiny": RNG.standard_normal((4, 4)) * 1e-305,
}


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("full_matrices", [True, False])
@pytest.mark.parametrize("a", ANY.values(), ids=ANY)
def test_every_driver_gives_unitary_factors_and_the_matrix_back(a, full_matrices, driver):
    U, s, Vh = linalg.svd(a, full_matrices=full_matrices, driver=driver)

    k, size = len(s), np.abs(a).max() or 1.0
    product = U[:, :k] * (s / size) @ Vh[:k]
    assert np.linalg.norm(product - a / size) <= 50 * EPS * np.linalg.norm(a / size)
    assert np.linalg.norm(U.conj().T @ U - np.eye(U.shape[1])) <= 100 * EPS
    assert np.linalg.norm(Vh @ Vh.conj().T - np.eye(len(Vh))) <= 100 * EPS
    assert (np.diff(s) <= 0).all()
    assert (s >= 0).all()


@pytest.mark.parametrize("driver", DRIVERS)
def test_exact_zeros_of_a_diagonal_stay_zero(driver):
    s = linalg.svdvals(np.diag([0.0, 3.0, 0.0]), driver=driver)

    assert s.tolist() == [3.0, 0.0, 0.0]


@pytest.mark.parametrize("driver", DRIVERS)
def test_each_matrix_of_a_stack_takes_its_own_way(driver):
    stack = np.stack([RNG.standard_normal((3, 3)), np.diag([1.0, 1e-20, 1e20]), np.ones((3, 3))])

    s = linalg.svd(stack, driver=driver).S

    alone = [linalg.svd(a, driver=driver).S.tobytes() for a in stack]
    assert [row.tobytes() for row in s] == alone


@pytest.mark.parametrize("driver", DRIVERS)
def test_nan_raises_and_names_its_matrices(driver):
    with pytest.raises(linalg.LinAlgError, match=r"`a`\[1\] holds NaN") as caught:
        linalg.svdvals(np.stack([np.eye(2), np.full((2, 2), np.nan)]), driver=driver)

    assert caught.value.indices == [(1,)]


@pytest.mark.parametrize("driver", DRIVERS)
def test_infinity_gives_nan(driver):
    assert np.isnan(linalg.svdvals(np.diag([1.0, np.inf]), driver=driver)).all()


@pytest.mark.parametrize("driver", DRIVERS)
def test_complex_entries_whose_magnitude_overflows_do_not_give_nan(driver):
    a = np.diag([1e308 + 1e308j, 1.5e308 + 0.5e308j, 1e305])

    s = linalg.svdvals(a, driver=driver)

    assert s == pytest.approx([2.5**0.5 * 1e308, 2**0.5 * 1e308, 1e305], rel=1e-12)


def test_generic_matrices_stay_with_divide_and_conquer():
    a = RNG.standard_normal((20, 10)) @ RNG.standard_normal((10, 20))

    assert linalg.svdvals(a).tobytes() == linalg.svdvals(a, driver="gesdd").tobytes()


@pytest.mark.parametrize("a", [RNG.standard_normal((16, 12)), RNG.standard_normal((4, 5)) + 1j])
def test_small_matrices_are_iterated_without_division(a):
    assert linalg.svdvals(a).tobytes() == linalg.svdvals(a, driver="gesvd").tobytes()


def test_rows_of_zeros_do_not_make_a_matrix_graded():
    a = np.concatenate([RNG.standard_normal((20, 5)), np.zeros((3, 5))])

    assert linalg.svdvals(a).tobytes() == linalg.svdvals(a, driver="gesdd").tobytes()


@pytest.mark.parametrize("driver", ["GESDD", "", "gejsv", 1, np.array(["gesdd", "gesvd"])])
@pytest.mark.parametrize("function", [linalg.svd, linalg.svdvals])
def test_an_unknown_driver_is_named_with_the_choices(function, driver):
    with pytest.raises(ValueError, match="must be None, 'gesdd', 'gesvd' or 'jacobi', not"):
        function(np.eye(2), driver=driver)


def test_a_driver_beside_hermitian_is_refused():
    with pytest.raises(ValueError, match="must be None with hermitian=True"):
        linalg.svd(np.eye(2), hermitian=True, driver="jacobi")


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 0, 3)])
def test_empty_matrices_have_identities(shape, driver):
    U, s, Vh = linalg.svd(np.zeros(shape), driver=driver)

    assert s.shape == (*shape[:-2], 0)
    assert not (U - np.eye(shape[-2])).any()
    assert not (Vh - np.eye(shape[-1])).any()
