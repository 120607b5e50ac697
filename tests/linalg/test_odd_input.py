"""Inputs on which LAPACK or a plain translation of NumPy goes wrong."""

import numpy as np
import pytest

from numerics import linalg

# On this matrix the singular values of LAPACK 3.12 never converge and never give up.
ENDLESS = np.array(
    [
        [1e300, -1e200, 0.161009577, -0.585528824],
        [-np.inf, -1.40152021, 0.50268285, 0.989713033],
        [-0.164294593, -1.07436486, 0.873042153, -0.0],
        [-0.713068095, 0.621017854, 1e-310, 0.386369598],
    ]
)
GOOD = np.array([[2.0, 1.0], [1.0, 3.0]])


@pytest.mark.parametrize("full_matrices", [True, False])
def test_the_svd_of_an_infinite_matrix_ends_and_is_nan(full_matrices):
    U, S, Vh = linalg.svd(ENDLESS, full_matrices=full_matrices)

    assert np.isnan(U).all()
    assert np.isnan(S).all()
    assert np.isnan(Vh).all()


def test_an_infinite_matrix_leaves_the_others_of_its_stack_alone():
    S = linalg.svdvals(np.stack([GOOD, GOOD * np.inf, GOOD]))

    assert np.isnan(S[1]).all()
    assert S[0].tobytes() == S[2].tobytes() == linalg.svdvals(GOOD).tobytes()


def test_an_infinite_matrix_has_infinite_condition_and_no_rank():
    assert linalg.cond(ENDLESS) == np.inf
    assert linalg.matrix_rank(ENDLESS) == 0


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_least_squares_refuses_what_is_not_finite_without_printing(value, capfd):
    with pytest.raises(linalg.LinAlgError, match="SVD did not converge in Linear Least Squares"):
        linalg.lstsq(GOOD * value, np.ones(2))

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("mode", ["reduced", "complete", "r", "raw"])
def test_qr_takes_objects_as_doubles(mode):
    found = linalg.qr(GOOD.astype(object), mode)

    expected = linalg.qr(GOOD, mode)
    assert np.asarray(found[0]).dtype == np.float64
    assert [x.tobytes() for x in found] == [x.tobytes() for x in expected]


@pytest.mark.parametrize("axis", [None, 0])
def test_the_norm_of_a_vector_of_integers_of_any_size_is_a_number(axis):
    x = np.array([3 * 10**200, 4 * 10**200], object)

    assert float(linalg.vector_norm(x, axis=axis, ord=1)) == 7e200


def test_the_two_norm_of_a_vector_of_objects_is_a_double():
    assert linalg.vector_norm(np.array([3, 4], object)) == 5.0


def test_the_condition_of_an_empty_vector_is_an_error_in_the_words_of_an_empty_matrix():
    with pytest.raises(linalg.LinAlgError, match="cond is not defined on empty arrays"):
        linalg.cond(np.zeros(0))


def test_tensordot_counts_axes_before_it_looks_at_them():
    with pytest.raises(ValueError, match="shape-mismatch for sum"):
        linalg.tensordot(np.ones(4), np.ones((3, 2)), axes=([0, 1], [0]))


def test_multi_dot_words_shapes_that_do_not_chain_as_numpy_does():
    with pytest.raises(ValueError, match=r"shapes \(1,2\) and \(1,1\) not aligned"):
        linalg.multi_dot([np.ones((1, 2)), np.ones((1, 1))])


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_the_trace_of_class_matrix_is_a_number():
    assert type(linalg.trace(np.asmatrix(GOOD))) is np.float64


def test_a_half_is_refused_before_objects_are():
    with pytest.raises(TypeError, match="array type float16 is unsupported in linalg"):
        linalg.solve(GOOD.astype(object), GOOD.astype(np.float16))


def test_the_cast_that_fails_is_to_the_dtype_of_both_arrays():
    with pytest.raises(TypeError, match=r"from dtype\('O'\) to dtype\('complex128'\)"):
        linalg.solve(GOOD.astype(object), GOOD.astype(complex))
