"""Linear algebra in 72 digits, on matrices up to about 30 × 30.

Arguments are NumPy arrays of any dtype, taken exactly; results are object arrays of mpmath's
numbers. python-flint does what it has a certified routine for, mpmath the rest.
"""

import contextlib
import functools

import flint
import numpy as np
from mpmath import mp

BITS = 240


@contextlib.contextmanager
def _at_least(bits):
    """Work at this precision, or a higher one if that is on; leave that of the caller alone."""
    before = flint.ctx.prec
    bits = max(bits, before)
    flint.ctx.prec = bits
    try:
        with mp.workprec(bits):
            yield
    finally:
        flint.ctx.prec = before


def precise(function):
    """Run a function at least at the precision of this file."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        with _at_least(BITS):
            return function(*args, **kwargs)

    return run


# --- Numbers ------------------------------------------------------------------------------------


def _real(x):
    """One real number of any NumPy type, exactly."""
    if isinstance(x, np.longdouble) and np.isfinite(x):
        mantissa, exponent = np.frexp(x)
        return mp.ldexp(mp.mpf(int(np.ldexp(mantissa, 64))), int(exponent) - 64)
    return mp.mpf(float(x)) if isinstance(x, np.floating) else mp.mpf(x)


def _number(x):
    if isinstance(x, mp.mpf | mp.mpc):
        return x
    if isinstance(x, np.complexfloating | complex):
        return mp.mpc(_real(x.real), _real(x.imag))
    return _real(int(x) if isinstance(x, np.integer | np.bool_) else x)


@precise
def exact(a):
    """Return `a` as an object array of mpmath's numbers."""
    a = np.asarray(a)
    result = np.empty(a.shape, object)
    for index in np.ndindex(a.shape):
        result[index] = _number(a[index])
    return result


@precise
def gap(x, truth):
    """Magnitudes ``|x - truth|``, entry by entry, in double."""
    differences = np.asarray(exact(x) - exact(truth), object)
    return np.array([float(abs(d)) for d in differences.ravel()]).reshape(differences.shape)


def _arb(x):
    if isinstance(x, mp.mpc):
        return flint.acb(_arb(x.real), _arb(x.imag))
    if not mp.isfinite(x):
        return flint.arb("nan")
    mantissa, exponent = abs(x).man_exp
    return flint.arb(int(mantissa) * int(mp.sign(x))) * flint.arb(2) ** int(exponent)


def _ball_matrix(a):
    return flint.acb_mat(*a.shape, [_arb(x) for x in exact(a).ravel()])


def _part(x):
    if not x.is_finite():
        return mp.nan
    mantissa, exponent = x.mid().man_exp()
    return mp.ldexp(mp.mpf(int(mantissa)), int(exponent))


def _from_ball(x):
    return mp.mpc(_part(x.real), _part(x.imag))


def _from_balls(matrix):
    shape = matrix.nrows(), matrix.ncols()
    result = np.empty(shape, object)
    for i, j in np.ndindex(shape):
        result[i, j] = _from_ball(matrix[i, j])
    return result


def _mp_matrix(a):
    return mp.matrix(exact(a).tolist())


def _vector(values):
    return np.array(list(values), object)


# --- Products and linear equations --------------------------------------------------------------


@precise
def product(*factors):
    """Product of 2-D arrays."""
    if 0 in np.shape(factors[0]) + np.shape(factors[-1]) + np.shape(factors[0])[1:]:
        return np.full((len(factors[0]), np.shape(factors[-1])[1]), mp.mpf(0), object)
    return _from_balls(functools.reduce(lambda x, y: x * y, map(_ball_matrix, factors)))


def adjoint(a):
    """Conjugate transpose."""
    return np.conj(np.swapaxes(a, -2, -1))


@precise
def solve(a, b):
    """Solution of a system with the columns of `b` on the right."""
    return _from_balls(_ball_matrix(a).solve(_ball_matrix(b)))


def inverse(a):
    """Inverse of a matrix."""
    return solve(a, np.eye(len(a)))


@precise
def determinant(a):
    """Determinant."""
    return _from_ball(_ball_matrix(a).det())


@precise
def sign_and_log(a):
    """Sign of the determinant, and logarithm of its magnitude."""
    d = determinant(a)
    return d / abs(d), mp.log(abs(d))


@precise
def cholesky(a):
    """Lower triangular factor of a Hermitian positive-definite matrix."""
    return np.array(mp.cholesky(_mp_matrix(a)).tolist(), object).reshape(np.shape(a))


@precise
def reflectors(h, tau):
    """Q = H₁ H₂ … with Hᵢ = I - tauᵢ v vᴴ, v one on and zero before place i, as geqrf has them.

    Row i of `h` holds v, transposed as NumPy returns it.
    """
    m = h.shape[1]
    Q = _ball_matrix(np.eye(m))
    for i in range(len(tau)):
        v = np.concatenate([np.zeros(i), np.ones(1), h[i, i + 1 :]])[:, None]
        scaled = _ball_matrix(adjoint(v)) * _arb(exact(tau)[i])
        Q = Q - Q * _ball_matrix(v) * scaled
    return _from_balls(Q)


# --- Spectra ------------------------------------------------------------------------------------


@precise
def hermitian_eigenvalues(a):
    """Eigenvalues of a Hermitian matrix, ascending."""
    if len(a) == 1:
        return _vector([mp.re(exact(a)[0, 0])])
    # Not certified, but backward stable, and a Hermitian matrix has well-conditioned eigenvalues.
    values = _ball_matrix(a).eig(multiple=True, algorithm="approx")
    return _vector(sorted(_from_ball(x).real for x in values))


@precise
def singular_values(a):
    """Singular values, descending, by the eigenvalues of a aᴴ or aᴴ a.

    They are told from 0 down to 1e-30·‖a‖·(smallest entry / largest entry).
    """
    exponents = [mp.mag(abs(x)) for x in exact(a).ravel() if x != 0]
    spread = 2 * (max(exponents, default=0) - min(exponents, default=0))
    with _at_least(BITS + int(spread)):
        gram = product(a, adjoint(a)) if len(a) <= a.shape[1] else product(adjoint(a), a)
        return _vector(mp.sqrt(max(x, mp.mpf(0))) for x in hermitian_eigenvalues(gram)[::-1])


@precise
def eigenvalues(a):
    """Eigenvalues of a matrix, as often as they occur, in no order."""
    if len(a) == 1:
        return exact(a)[0]
    try:
        values = _ball_matrix(a).eig(multiple=True)
    except ValueError:
        # The eigenvalue of a Jordan block of size k cannot be isolated; 1/k of the bits are right.
        values = _ball_matrix(a).eig(multiple=True, algorithm="approx")
    return _vector(map(_from_ball, values))


@precise
def least_squares(a, b, rcond):
    """Solution of least norm, its sums of squared residuals, and the rank."""
    a, b = exact(a), exact(b)
    s = singular_values(a)
    rank = int(sum(x > rcond * s[0] for x in s))
    if rank == a.shape[1]:
        x = solve(product(adjoint(a), a), product(adjoint(a), b))
    elif rank == a.shape[0]:
        x = product(adjoint(a), solve(product(a, adjoint(a)), b))
    else:
        x = _least_norm(a, b, rank)
    remainder = b - product(a, x)
    return x, _vector(sum(abs(r) ** 2 for r in column) for column in remainder.T), rank


def _least_norm(a, b, rank):
    U, s, Vh = (np.array(x.tolist(), object) for x in mp.svd_c(_mp_matrix(a)))
    coefficients = product(adjoint(U[:, :rank]), b) / s[:rank]
    return product(adjoint(Vh[:rank]), coefficients)


# --- Functions ----------------------------------------------------------------------------------


@precise
def exponential(a):
    """Exponential of a matrix."""
    return _from_balls(_ball_matrix(a).exp())


# --- Norms --------------------------------------------------------------------------------------


@precise
def vector_norm(x, order):
    """Norm of a vector."""
    magnitudes = [abs(value) for value in exact(x)]
    if order == np.inf:
        return max(magnitudes, default=mp.mpf(0))
    if order == -np.inf:
        return min(magnitudes)
    if order == 0:
        return mp.mpf(sum(m != 0 for m in magnitudes))
    return sum(m**order for m in magnitudes) ** (1 / mp.mpf(order))


@precise
def matrix_norm(a, order):
    """Norm of a matrix: 'fro', 'nuc', ±1, ±2 or ±inf."""
    if order == "fro":
        return vector_norm(np.ravel(a), 2)
    if order in (2, -2, "nuc"):
        s = singular_values(a)
        return {2: s[0], -2: s[-1], "nuc": sum(s)}[order]
    sums = np.abs(exact(a)).sum(axis=0 if abs(order) == 1 else 1)
    return max(sums) if order > 0 else min(sums)
