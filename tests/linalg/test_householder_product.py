"""Products of Householder reflectors, which undo the raw form of qr."""

import numpy as np
import pytest

from numerics import linalg


def matrices(letter, *shape):
    rng = np.random.default_rng(5)
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if letter in "FD" else a).astype(letter)


@pytest.mark.parametrize("letter", "fdFD")
@pytest.mark.parametrize("shape", [(4, 4), (70, 40), (3, 1), (2, 3, 5, 2)])
def test_it_makes_the_q_of_qr_from_its_raw_form(letter, shape):
    a = matrices(letter, *shape)
    h, tau = linalg.qr(a, "raw")

    Q = linalg.householder_product(h.swapaxes(-2, -1), tau)

    R = np.triu(h.swapaxes(-2, -1)[..., : shape[-1], :])
    eps = np.finfo(letter).eps
    assert Q.dtype == letter
    assert np.abs(Q @ R - a).max() <= 10 * shape[-2] * eps * np.abs(a).max()
    assert np.abs(Q - linalg.qr(a).Q).max() <= 10 * shape[-2] * eps


def test_stacks_of_either_argument_broadcast():
    h, tau = linalg.qr(matrices("d", 2, 1, 5, 3), "raw")
    A = h.swapaxes(-2, -1)

    Q = linalg.householder_product(A, np.concatenate([tau, tau], axis=1))

    assert Q.shape == (2, 2, 5, 3)
    assert Q[1, 1].tobytes() == linalg.householder_product(A[1, 0], tau[1, 0]).tobytes()


def test_what_lies_on_and_above_the_diagonal_is_not_read():
    h, tau = linalg.qr(matrices("d", 5, 3), "raw")
    upper = np.triu(np.ones((5, 3), bool))

    Q = linalg.householder_product(np.where(upper, np.nan, h.T), tau)

    assert Q.tobytes() == linalg.householder_product(h.T, tau).tobytes()


@pytest.mark.parametrize("letter", "dD")
@pytest.mark.parametrize("where", ["A", "tau"])
def test_nan_stays_in_its_matrix(letter, where):
    h, tau = linalg.qr(matrices(letter, 3, 5, 3), "raw")
    A, tau = h.swapaxes(-2, -1).copy(), tau.copy()
    clean = linalg.householder_product(A, tau)
    (A[1, 4] if where == "A" else tau[1])[1] = np.nan

    Q = linalg.householder_product(A, tau)

    assert np.isnan(Q[1]).any()
    assert Q[[0, 2]].tobytes() == clean[[0, 2]].tobytes()


@pytest.mark.parametrize(
    ("A", "tau"), [((0, 5, 3), (0, 3)), ((5, 0), (0,)), ((2, 0, 0), (0,)), ((0, 0), (0,))]
)
def test_empty_stacks_and_matrices_keep_their_shape(A, tau):
    assert linalg.householder_product(np.ones(A), np.ones(tau)).shape == A


def test_lists_of_integers_become_doubles():
    Q = linalg.householder_product([[0], [1]], [1])

    assert Q.dtype == np.float64
    assert Q.tolist() == [[0], [-1]]


@pytest.mark.parametrize(
    ("A", "tau", "error", "text"),
    [
        (
            np.ones((2, 3)),
            np.ones(2),
            ValueError,
            r"`A` must have at least as many rows as columns, and `tau` no more entries than "
            r"these; `A` has 2 rows and 3 columns, `tau` has 2 entries",
        ),
        (np.ones((3, 2)), np.ones(3), ValueError, r"`tau` has 3 entries"),
        (np.ones(3), np.ones(3), linalg.LinAlgError, r"1-dimensional array given.*`A` has shape"),
        (np.ones((3, 2)), 1.0, ValueError, r"not have enough dimensions.*`tau` has shape \(\)"),
        (np.ones((2, 3, 2)), np.ones((3, 1)), ValueError, r"stacks \(2,\) and \(3,\) .* differ"),
        (np.ones((3, 2), "e"), np.ones(2), TypeError, r"float16 is unsupported"),
    ],
)
def test_it_names_what_does_not_fit(A, tau, error, text):
    with pytest.raises(error, match=rf"linalg\.householder_product: .*{text}"):
        linalg.householder_product(A, tau)
