"""What programs hand to linear algebra: shapes, dtypes, layouts, classes and odd values."""

import numpy as np
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

INEXACT = ["d", "f", "D", "F"]
NUMBERS = [*INEXACT, *"?bBhHiIlLqQ"]
REFUSED = ["e", "g", "G", "O", "M8[s]", "m8[s]", "U3"]
ANY = [*NUMBERS, *REFUSED]

STACKS = st.sampled_from([(), (), (), (0,), (1,), (2,), (3, 2), (1, 2)])
SIZES = st.sampled_from([2, 3, 1, 4, 0])


class Subclass(np.ndarray):
    """A class that results of NumPy's functions come back in."""


def _misaligned(a):
    buffer = np.zeros(a.nbytes + 1, np.uint8)
    result = buffer[1:].view(a.dtype).reshape(a.shape)
    result[...] = a
    return result


def _sliced(a):
    wide = np.zeros([2 * n for n in a.shape], a.dtype)
    every_other = wide[(..., *(slice(None, None, 2) for _ in a.shape))]
    every_other[...] = a
    return every_other


def _reversed(a):
    backwards = (..., *(slice(None, None, -1) for _ in a.shape))
    return a[backwards].copy()[backwards]


def _read_only(a):
    a.flags.writeable = False
    return a


def _overlapping(a):
    """Rows that share memory: a Hankel matrix."""
    if a.ndim < 2 or a.size == 0:
        return a
    return as_strided(a.ravel()[: sum(a.shape[-2:])].copy(), a.shape[-2:], 2 * a.strides[-1:])


def _same_rows(a):
    return np.broadcast_to(a[:1], a.shape) if a.ndim > 2 else a


LAYOUTS = {
    "C order": lambda a: a,
    "Fortran order": np.asfortranarray,
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "negative strides": _reversed,
    "sliced": _sliced,
    "read-only": _read_only,
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "misaligned": lambda a: a if a.dtype.hasobject else _misaligned(a),
    "overlapping": _overlapping,
    "broadcast": _same_rows,
    "list": lambda a: a.tolist() if a.size and a.dtype.char in "?ldDO" else a,
    "subclass": lambda a: a.view(Subclass),
    "matrix": lambda a: np.asmatrix(a) if a.ndim == 2 else a,
}

ODD = [0.0, -0.0, 1.0, np.nan, np.inf, -np.inf, 5e-324, 1e-310, 1e300, -1e200]


def _values(rng, letter, shape):
    if letter in ("M8[s]", "m8[s]", "U3"):
        return np.asarray(rng.integers(1, 9, shape)).astype(letter)
    if letter in "?bBhHiIlLqQO":
        low = 0 if letter in "?BHILQ" else -5
        return np.asarray(rng.integers(low, 6, shape)).astype(letter)
    real = np.asarray(rng.standard_normal(shape))
    if letter in "FDG":
        real = np.asarray(real + 1j * rng.standard_normal(shape))
    return real.astype(letter)


@st.composite
def arrays(draw, shape, letters=ANY, is_odd=None, layouts=tuple(LAYOUTS)):
    """An array of some dtype and layout; `is_odd` puts NaN, infinities and extremes in."""
    # Half of the time what nothing is wrong with.
    letter = draw(st.sampled_from(INEXACT) | st.sampled_from(letters))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    a = _values(rng, letter, shape)
    if a.dtype.kind in "fc" and a.size and draw(st.booleans() if is_odd is None else is_odd):
        places = rng.integers(a.size, size=1 + a.size // 4)
        with np.errstate(all="ignore"):
            a.reshape(-1)[places] = rng.choice(ODD, len(places)).astype(a.real.dtype)
    return LAYOUTS[draw(st.sampled_from(["C order", *layouts]))](a)


@st.composite
def wrong(draw, right):
    """The right shape, or now and then one with an axis too few or a size changed."""
    shape = tuple(right)
    fault = draw(st.sampled_from(["none"] * 6 + ["fewer", "none at all", "size"]))
    if fault == "fewer":
        return shape[1:]
    if fault == "none at all":
        return ()
    if fault == "size" and shape:
        return (*shape[:-1], shape[-1] + 1)
    return shape


@st.composite
def squares(draw, **options):
    """Square matrices, alone and stacked, now and then of a wrong shape."""
    n = draw(SIZES)
    return draw(arrays(draw(wrong((*draw(STACKS), n, n))), **options))


@st.composite
def rectangles(draw, **options):
    """Matrices of any shape, alone and stacked."""
    return draw(arrays(draw(wrong((*draw(STACKS), draw(SIZES), draw(SIZES)))), **options))


@st.composite
def vectors(draw, **options):
    """Arrays of one axis or more."""
    return draw(arrays(draw(wrong((*draw(STACKS), draw(SIZES)))), **options))
