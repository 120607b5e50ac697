"""When do two results, or two errors, agree?"""

import re
import warnings

import numpy as np


def outcome(function, args, kwargs):
    """What a call returns or raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs)
        except Exception as error:  # whatever NumPy raises is what we must raise
            return error


def words(error):
    """NumPy's text without the names it puts around it, which are its internals'."""
    text = re.sub(r"^[\w.]+: ", "", str(error))
    text = re.sub(r" with gufunc signature \S+", "", text)
    text = re.sub(r" with remapped shapes .*", "", text, flags=re.DOTALL)
    text = re.sub(r" core with signature \S+ requires \d", "", text)
    text = re.sub(r"ufunc '\w+'", "ufunc", text)
    return " ".join(text.split())


NOT_SAID = (
    "ufunc 'isfinite' not supported",
    "unsupported operand type(s) for",
    "not enough values to unpack",
)
"""Texts of NumPy's that name an internal step and not what is wrong; ours name the argument."""


def errors_agree(ours, theirs, args):
    """The same class or one derived from it, and NumPy's words somewhere in ours.

    Of an array that is wrong in dtype and in shape, either may be said.
    """
    is_refused = any(a.dtype.char in "egG" or a.dtype.kind not in "fcbiu" for a in _inputs(args))
    if is_refused and isinstance(theirs, TypeError) and "shape" in str(ours):
        return isinstance(ours, ValueError)
    if not isinstance(ours, type(theirs)):
        return False
    return str(theirs).startswith(NOT_SAID) or words(theirs) in words(ours)


def faces(result):
    """Type, dtype and shape of a result and of its parts."""
    if isinstance(result, tuple):
        return type(result), [faces(part) for part in result]
    return type(result), getattr(result, "dtype", None), np.shape(result)


ILL_CONDITIONED = 1e-7
"""What double precision may lose on the worst of what is drawn."""


def close(ours, theirs, precision):
    """Equal up to rounding, relative to the largest entry; NaN equals NaN."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if theirs.dtype.kind not in "fc":
        return ours.tolist() == theirs.tolist()
    with np.errstate(all="ignore"):
        scale = np.abs(theirs[np.isfinite(theirs)]).max(initial=0)
        tolerance = max(ILL_CONDITIONED, 10 * precision) * scale
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        return bool((same | (np.abs(ours - theirs) <= tolerance)).all())


def precision_of(*arrays):
    """The largest eps among some arrays."""
    return max((float(np.finfo(a.dtype).eps) for a in arrays if a.dtype.kind in "fc"), default=0.0)


def _inputs(args):
    """Every argument as an array; a list of arrays of several shapes as its items."""
    arrays = []
    for arg in args:
        try:
            arrays.append(np.asarray(arg))
        except ValueError:
            arrays += [np.asarray(item) for item in arg]
    return arrays


def is_plain(args):
    """Finite numbers of moderate size."""
    arrays = [a for a in _inputs(args) if a.dtype.kind in "fcbiu"]
    with np.errstate(all="ignore"):
        return all(a.size == 0 or bool((np.abs(a.astype("D")) < 1e6).all()) for a in arrays)


def may_not_end(name, args):
    """NumPy's singular values of an infinite matrix: LAPACK may iterate for ever."""
    uses_svd = name in ("cond", "lstsq", "matrix_norm", "matrix_rank", "norm", "pinv")
    infinite = any(a.dtype.kind in "fc" and np.isinf(a).any() for a in _inputs(args))
    return infinite and (uses_svd or name.startswith("svd"))


def is_infinite_half(name, args):
    """Half precision with infinities, which eig refuses for either reason."""
    halves = [a for a in _inputs(args) if a.dtype.char in "egG"]
    return name in ("eig", "eigvals") and any(not np.isfinite(a).all() for a in halves)


def is_delicate(args):
    """A square matrix so near to singular that rounding decides what happens."""
    for a in _inputs(args):
        if a.ndim < 2 or a.shape[-1] != a.shape[-2] or a.size == 0 or a.dtype.kind not in "fcbiu":
            continue
        a = a.astype(complex)
        if not np.isfinite(a).all():
            continue
        s = np.linalg.svd(a, compute_uv=False)
        if (s[..., -1] < 1e-9 * s[..., 0]).any() or (s[..., -1] < 1e-100).any():
            return True
    return False


# --- What is unique about factors that are not --------------------------------------------------


def _h(a):
    return np.conj(np.swapaxes(a, -2, -1))


def svd_facts(result):
    """Singular values, and the product of the factors."""
    if not isinstance(result, tuple):
        return (result,)
    U, s, Vh = (np.asarray(part) for part in result)
    k = s.shape[-1]
    return s, (U[..., :k] * s[..., None, :]) @ Vh[..., :k, :], _h(U) @ U


def eigh_facts(result):
    """Eigenvalues, and the product of the factors."""
    w, v = (np.asarray(part) for part in result)
    return w, (v * w[..., None, :]) @ _h(v), _h(v) @ v


def eig_facts(result):
    """Sorted eigenvalues, and the matrix that the pairs belong to."""
    w, v = (np.asarray(part) for part in result)
    return (*eigvals_facts(w), np.sort(np.abs(v * v).sum(axis=-2)))


def eigvals_facts(result):
    """Sums of powers of the eigenvalues, which have no order."""
    w = np.asarray(result)
    return tuple((w**k).sum(axis=-1) for k in (1, 2, 3))


def qr_facts(result):
    """The triangle is unique up to the phases of its rows."""
    if not isinstance(result, tuple):
        R = np.asarray(result)
        return (_h(R) @ R,)
    first, second = (np.asarray(part) for part in result)
    if second.ndim < first.ndim:  # raw
        return np.abs(first), second
    return first @ second, _h(first) @ first


def cond_facts(result):
    """Condition numbers, as far as rounding leaves them digits."""
    return (np.minimum(result, 1e9),)


FACTS = {
    "cond": cond_facts,
    "svd": svd_facts,
    "eigh": eigh_facts,
    "eig": eig_facts,
    "eigvals": eigvals_facts,
    "qr": qr_facts,
}


def values_agree(name, args, ours, theirs):
    """Compare what is unique about two results."""
    facts = FACTS.get(name, lambda r: r if isinstance(r, tuple) else (r,))
    pairs = zip(facts(ours), facts(theirs), strict=True)
    precision = precision_of(*_inputs(args))
    return all(close(x, y, max(precision, precision_of(np.asarray(y)))) for x, y in pairs)
