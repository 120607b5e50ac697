"""Errors name the function, the argument, what was needed and what was given, in NumPy's words."""

import numpy as np
import pytest

from numerics import _kernels, linalg

SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
GOOD = np.array([[2.0, 1.0], [1.0, 3.0]])
LinAlgError = linalg.LinAlgError

TEXTS = {
    "a vector where a matrix is needed": (
        lambda: linalg.inv(np.ones(3)),
        LinAlgError,
        "linalg.inv: 1-dimensional array given. Array must be at least two-dimensional; "
        "`a` has shape (3,)",
    ),
    "a matrix that is not square": (
        lambda: linalg.det(np.ones((2, 3))),
        LinAlgError,
        "linalg.det: Last 2 dimensions of the array must be square; `a` has shape (2, 3)",
    ),
    "right-hand sides of another length": (
        lambda: linalg.solve(np.eye(4), np.ones((3, 2))),
        ValueError,
        "linalg.solve: `b` must match (n,n),(n,k?)->(n,k?); dimension n is 4 in `a` and 3 in `b` "
        "of shape (3, 2): Input operand 1 has a mismatch in its core dimension 0, "
        "(size 3 is different from 4)",
    ),
    "stacks that do not broadcast": (
        lambda: linalg.solve(np.ones((2, 3, 3)), np.ones((4, 3, 1))),
        ValueError,
        "linalg.solve: operands could not be broadcast together: the stacks (2,) and (4,) in front "
        "of (n,n),(n,k?)->(n,k?) differ; `a` has shape (2, 3, 3), `b` has shape (4, 3, 1)",
    ),
    "a number as the right-hand side": (
        lambda: linalg.solve(np.eye(2), 1.0),
        ValueError,
        "linalg.solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with "
        "signature (n,n),(n,k?)->(n,k?) requires 1); `b` has shape ()",
    ),
    "half precision": (
        lambda: linalg.inv(np.eye(2, dtype=np.float16)),
        TypeError,
        "linalg.inv: array type float16 is unsupported in linalg; supported: float32, float64, "
        "complex64, complex128, integers and bool (as float64)",
    ),
    "objects": (
        lambda: linalg.inv(np.eye(2, dtype=object)),
        TypeError,
        "Cannot cast ufunc 'inv' input from dtype('O') to dtype('float64') "
        "with casting rule 'same_kind'",
    ),
    "a singular matrix": (
        lambda: linalg.inv(SINGULAR),
        LinAlgError,
        "linalg.inv: Singular matrix: `a` has an exactly zero pivot (2 of 2)",
    ),
    "a singular matrix in a stack": (
        lambda: linalg.solve(np.stack([GOOD, SINGULAR, GOOD]), GOOD),
        LinAlgError,
        "linalg.solve: Singular matrix: `a`[1] has an exactly zero pivot (2 of 2)",
    ),
    "several singular matrices in a stack": (
        lambda: linalg.inv(np.array([[SINGULAR, GOOD, SINGULAR], [GOOD, SINGULAR, GOOD]])),
        LinAlgError,
        "linalg.inv: Singular matrix: `a`[0, 0] has an exactly zero pivot (2 of 2) "
        "(and 2 more of 6)",
    ),
    "a matrix that is not positive definite": (
        lambda: linalg.cholesky(np.diag([1.0, 2.0, -1.0, 1.0])),
        LinAlgError,
        "linalg.cholesky: Matrix is not positive definite: `a`, pivot 3 of 4",
    ),
    "a matrix of a stack that is not positive definite": (
        lambda: linalg.cholesky(np.stack([GOOD, -GOOD])),
        LinAlgError,
        "linalg.cholesky: Matrix is not positive definite: `a`[1], pivot 1 of 2",
    ),
    "eigenvalues of NaN": (
        lambda: linalg.eigvals(np.stack([GOOD, GOOD * np.nan])),
        LinAlgError,
        "linalg.eigvals: Array must not contain infs or NaNs: `a`[1] does",
    ),
    "singular values of NaN": (
        lambda: linalg.svd(np.full((2, 2), np.nan)),
        LinAlgError,
        "linalg.svd: SVD did not converge: `a` holds NaN",
    ),
    "an unknown triangle": (
        lambda: linalg.eigh(GOOD, "X"),
        ValueError,
        "linalg.eigh: UPLO argument must be 'L' or 'U', not 'X'",
    ),
    "an unknown mode": (
        lambda: linalg.qr(GOOD, "thin"),
        ValueError,
        "linalg.qr: Unrecognized mode 'thin'; it must be 'reduced', 'complete', 'r' or 'raw'",
    ),
    "systems of different heights": (
        lambda: linalg.lstsq(np.ones((3, 2)), np.ones(4)),
        LinAlgError,
        "linalg.lstsq: Incompatible dimensions; `a` has 3 rows and `b` has 4",
    ),
    "a vector of coefficients": (
        lambda: linalg.lstsq(np.ones(3), np.ones(3)),
        LinAlgError,
        "linalg.lstsq: 1-dimensional array given. Array must be two-dimensional, or a stack of "
        "such; `a` has shape (3,)",
    ),
    "a number as the right-hand side of least squares": (
        lambda: linalg.lstsq(np.ones((2, 3, 2)), 1.0),
        LinAlgError,
        "linalg.lstsq: 0-dimensional array given. Array must be two-dimensional, or a stack of "
        "such; `b` has shape ()",
    ),
    "tolerances that do not fit the stack": (
        lambda: linalg.lstsq(np.ones((2, 3, 2)), np.ones(3), np.ones(3)),
        ValueError,
        "linalg.lstsq: `rcond` must be a number or broadcast to the stack; it has shape (3,), "
        "`a` has shape (2, 3, 2), `b` has shape (3, 1)",
    ),
    "stacks of least-squares problems that do not broadcast": (
        lambda: linalg.lstsq(np.ones((2, 3, 2)), np.ones((3, 3, 1))),
        ValueError,
        "linalg.lstsq: operands could not be broadcast together: the stacks (2,) and (3,) in front "
        "of (m,n),(m,r)->(n,r),(r),(),(k) differ; `a` has shape (2, 3, 2), `b` has shape (3, 3, 1)",
    ),
    "one matrix alone to multiply": (
        lambda: linalg.multi_dot([GOOD]),
        ValueError,
        "linalg.multi_dot: Expecting at least two arrays. Given: 1",
    ),
    "a fractional power": (
        lambda: linalg.matrix_power(GOOD, 0.5),
        TypeError,
        "linalg.matrix_power: exponent must be an integer, not float",
    ),
    "an unknown norm of matrices": (
        lambda: linalg.norm(GOOD, 3),
        ValueError,
        "linalg.norm: Invalid norm order for matrices. It is 3",
    ),
    "an unknown norm of vectors": (
        lambda: linalg.norm(GOOD, "nuc", axis=0),
        ValueError,
        "linalg.norm: Invalid norm order 'nuc' for vectors",
    ),
    "two tolerances": (
        lambda: linalg.matrix_rank(GOOD, tol=0.1, rtol=0.1),
        ValueError,
        "linalg.matrix_rank: `tol` and `rtol` can't be both set.",
    ),
    "a triangular matrix with a zero on its diagonal": (
        lambda: linalg.solve_triangular(np.diag([1.0, 0.0]), np.ones(2)),
        LinAlgError,
        "linalg.solve_triangular: Singular matrix: `a` has an exactly zero pivot (2 of 2)",
    ),
    "an unknown system": (
        lambda: linalg.solve_triangular(GOOD, np.ones(2), trans="H"),
        ValueError,
        "linalg.solve_triangular: `trans` must be 0, 1 or 2 or 'N', 'T' or 'C', not 'H'",
    ),
    "infinity where SciPy's check is asked for": (
        lambda: linalg.lu_factor(np.full((2, 2), np.inf), check_finite=True),
        ValueError,
        "linalg.lu_factor: array must not contain infs or NaNs, but `a` does",
    ),
    "factors with a zero pivot": (
        lambda: linalg.lu_solve(linalg.lu_factor(SINGULAR), np.ones(2)),
        LinAlgError,
        "linalg.lu_solve: Singular matrix: `lu` has an exactly zero pivot (2 of 2)",
    ),
    "factors without pivots": (
        lambda: linalg.lu_solve(GOOD[0, 0], np.ones(2)),
        TypeError,
        "linalg.lu_solve: `lu_and_piv` must be the pair that lu_factor returns, not float64",
    ),
    "pivots that lead out of the matrix": (
        lambda: linalg.lu_solve((GOOD, [0, 2]), np.ones(2)),
        ValueError,
        "linalg.lu_solve: the pivots of `lu` are not those of a factorization of 2 rows",
    ),
    "pivots that are no integers": (
        lambda: linalg.lu_solve((GOOD, [0.0, 1.0]), np.ones(2)),
        TypeError,
        "linalg.lu_solve: `piv` has dtype float64; integers are needed: pivots as the "
        "factorization returned them",
    ),
    "a Cholesky factor with a zero on its diagonal": (
        lambda: linalg.cholesky_solve(np.ones(2), np.diag([0.0, 1.0])),
        LinAlgError,
        "linalg.cholesky_solve: Singular matrix: `L` has an exactly zero pivot (1 of 2)",
    ),
    "right-hand sides that do not fit a Cholesky factor": (
        lambda: linalg.cholesky_solve(np.ones(3), GOOD),
        ValueError,
        "linalg.cholesky_solve: `B` must match (n,n),(n,k?)->(n,k?); dimension n is 2 in `L` and 3 "
        "in `B` of shape (3,): Input operand 1 has a mismatch in its core dimension 0, "
        "(size 3 is different from 2)",
    ),
    "LDL factors with a zero block": (
        lambda: linalg.ldl_solve(*linalg.ldl_factor(np.diag([1.0, 0.0])), np.ones(2)),
        LinAlgError,
        "linalg.ldl_solve: Singular matrix: `LD` has an exactly zero pivot (2 of 2)",
    ),
    "pivots of no LDL factorization": (
        lambda: linalg.ldl_solve(GOOD, [-1, 2], np.ones(2)),
        ValueError,
        "linalg.ldl_solve: the pivots of `LD` are not those of a factorization of 2 rows",
    ),
    "a singular matrix where errors are asked for": (
        lambda: linalg.inv_ex(np.stack([GOOD, SINGULAR]), check_errors=True),
        LinAlgError,
        "linalg.inv: Singular matrix: `a`[1] has an exactly zero pivot (2 of 2)",
    ),
    "a matrix that is not square where no error is asked for": (
        lambda: linalg.inv_ex(np.ones((2, 3))),
        LinAlgError,
        "linalg.inv_ex: Last 2 dimensions of the array must be square; `A` has shape (2, 3)",
    ),
    "more reflectors than columns": (
        lambda: linalg.householder_product(np.ones((3, 1)), np.ones(2)),
        ValueError,
        "linalg.householder_product: `A` must have at least as many rows as columns, and `tau` no "
        "more entries than these; `A` has 3 rows and 1 columns, `tau` has 2 entries",
    ),
    "a matrix without a square root": (
        lambda: linalg.sqrtm(np.stack([GOOD, np.diag([1.0], 1)])),
        LinAlgError,
        "linalg.sqrtm: `A`[1] has no square root that is a function of it: its eigenvalue 0 is "
        "defective",
    ),
    "two tolerances of a null space": (
        lambda: linalg.null_space(GOOD, 0.1, rtol=0.1),
        ValueError,
        "linalg.null_space: `rtol` and `rcond` can't be both set.",
    ),
    "an unknown driver": (
        lambda: linalg.svd(GOOD, driver="gesvdj"),
        ValueError,
        "linalg.svd: `driver` must be None, 'gesdd', 'gesvd' or 'jacobi', not 'gesvdj'",
    ),
    "the condition of nothing": (
        lambda: linalg.cond(np.zeros((0, 0))),
        LinAlgError,
        "linalg.cond: cond is not defined on empty arrays; `x` has shape (0, 0)",
    ),
}


@pytest.mark.parametrize(("call", "error", "text"), TEXTS.values(), ids=TEXTS)
def test_the_text_of_an_error(call, error, text):
    with pytest.raises(error) as caught:
        call()

    assert str(caught.value) == text


# --- Matrices of a stack ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "indices"),
    [
        (lambda: linalg.inv(SINGULAR), [()]),
        (lambda: linalg.inv(np.stack([GOOD, SINGULAR, SINGULAR])), [(1,), (2,)]),
        (lambda: linalg.inv([[GOOD, SINGULAR]]), [(0, 1)]),
        (lambda: linalg.inv(np.broadcast_to(SINGULAR, (2, 2, 2))), [(0,), (1,)]),
        (lambda: linalg.solve(SINGULAR, np.ones((2, 2, 1))), [(0,), (1,)]),
        (lambda: linalg.cholesky(np.stack([-GOOD, GOOD])), [(0,)]),
        (lambda: linalg.solve_triangular(np.stack([GOOD, 0 * GOOD]), np.ones(2)), [(1,)]),
        (lambda: linalg.lu_solve(linalg.lu_factor([GOOD, SINGULAR]), np.ones(2)), [(1,)]),
        (lambda: linalg.lu_solve(([GOOD, GOOD], [[0, 9], [0, 1]]), np.ones(2)), [(0,)]),
        (lambda: linalg.sqrtm([np.diag([1.0], 1), GOOD]), [(0,)]),
        (lambda: linalg.eig(np.stack([GOOD, GOOD * np.inf])), [(1,)]),
        (lambda: linalg.svdvals(np.stack([GOOD * np.nan, GOOD])), [(0,)]),
    ],
)
def test_an_error_lists_the_matrices_that_failed(call, indices):
    with pytest.raises((LinAlgError, ValueError)) as caught:
        call()

    assert caught.value.indices == indices


def test_the_indices_of_a_stack_pick_its_failing_matrices():
    stack = np.stack([GOOD, SINGULAR, GOOD, 2 * SINGULAR]).reshape(2, 2, 2, 2)

    with pytest.raises(LinAlgError) as caught:
        linalg.inv(stack)

    failing = stack[tuple(zip(*caught.value.indices, strict=True))]
    assert failing.tolist() == [SINGULAR.tolist(), (2 * SINGULAR).tolist()]


def test_an_error_about_arguments_lists_no_matrices():
    with pytest.raises(LinAlgError) as caught:
        linalg.inv(np.ones((2, 3)))

    assert not hasattr(caught.value, "indices")


# --- Sizes that LAPACK cannot count --------------------------------------------------------------

HUGE = 2**31


def seemingly(*shape):
    """A matrix of any size in eight bytes of memory."""
    return np.broadcast_to(np.float64(1), shape)


WIDE = 2**25  # the blocked reduction of a square matrix takes 64 columns: 2³¹ numbers
TOO_LARGE = {
    "solve": lambda: linalg.solve(np.eye(1), seemingly(1, HUGE)),
    "qr": lambda: linalg.qr(seemingly(HUGE, 1)),
    "complete qr": lambda: linalg.qr(seemingly(1, HUGE), "complete"),
    "r": lambda: linalg.qr(seemingly(1, HUGE), "r"),
    "raw qr": lambda: linalg.qr(seemingly(1, HUGE), "raw"),
    "eig": lambda: linalg.eig(seemingly(WIDE, WIDE)),
    "eigvals": lambda: linalg.eigvals(seemingly(WIDE, WIDE)),
    "eigh": lambda: linalg.eigh(seemingly(32768, 32768)),
    "eigh of bytes": lambda: linalg.eigh(np.broadcast_to(np.int8(1), (32768, 32768))),
    "eigvalsh": lambda: linalg.eigvalsh(seemingly(WIDE, WIDE)),
    "svd": lambda: linalg.svd(seemingly(HUGE, 1)),
    "reduced svd": lambda: linalg.svd(seemingly(30000, 30000), full_matrices=False),
    "svdvals": lambda: linalg.svdvals(seemingly(1, HUGE)),
    "lstsq": lambda: linalg.lstsq(seemingly(HUGE, 1), seemingly(HUGE)),
    "solve_triangular": lambda: linalg.solve_triangular(np.eye(1), seemingly(1, HUGE)),
    "lu": lambda: linalg.lu(seemingly(HUGE, 1)),
    "ldl_solve": lambda: linalg.ldl_solve(np.eye(1), [1], seemingly(1, HUGE)),
}


def refusal(call):
    """The text of the ValueError that a call raises."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the text is what is returned
        call()
    return str(caught.value)


def test_sizes_that_lapack_cannot_count_are_refused_before_anything_is_allocated():
    calls = TOO_LARGE.values() if _kernels.lapack_integer_bits() == 32 else ()

    texts = [refusal(call) for call in calls]

    assert [
        t for t in texts if "is too large: LAPACK in this SciPy counts in 32-bit" not in t
    ] == []


@pytest.mark.parametrize("shape", [(WIDE + 1, 1), (1, WIDE + 1)], ids=["tall", "wide"])
def test_a_long_side_is_limited_by_its_length_alone(shape):
    (value,) = linalg.svdvals(seemingly(*shape))

    assert value == pytest.approx((WIDE + 1) ** 0.5, rel=1e-12)


def test_a_wide_matrix_is_factored_where_the_best_workspace_could_not_be_counted():
    R = linalg.qr(seemingly(1, 2 * WIDE + 1), "r")

    assert (np.abs(R) == 1).all()


def test_a_parameter_that_has_no_truth_value_raises_its_own_error():
    with pytest.raises(ValueError, match="truth value of an array"):
        linalg.cholesky(np.eye(2), upper=np.array([True, False]))


@pytest.mark.parametrize("rcond", ["warn", 1j])
def test_lstsq_names_an_rcond_that_is_no_number(rcond):
    with pytest.raises(TypeError, match=r"linalg\.lstsq: `rcond` must be a real number"):
        linalg.lstsq(np.eye(2), np.ones(2), rcond)


def test_a_stack_of_small_matrices_may_be_as_long_as_it_likes():
    stack = np.broadcast_to(np.eye(1), (100_000, 1, 1))

    assert linalg.det(stack).sum() == 100_000
