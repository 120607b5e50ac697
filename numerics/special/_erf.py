"""The error function and its relatives."""

from __future__ import annotations

import math

from .._core.elementwise import ufunc
from .._core.op import BITWISE, op
from .._core.rules import Partials

__all__ = ["erfcx"]

# d/dx e^{x²} erfc(x) = 2x·erfcx(x) - 2/√π, by the product rule and erfc' = -2/√π·e^{-x²}.
ERFCX = op(
    "special.erfcx",
    kernel="erfcx",
    signature="()->()",
    dtypes="d->d f->f",
    determinism=BITWISE,
    rule=Partials(lambda m, y, x: 2 * x * y - 2 / math.sqrt(math.pi)),
)

erfcx = ufunc(
    ERFCX,
    """Scaled complementary error function.

    Parameters
    ----------
    x : array_like of float32 or float64
        Real arguments; integers and half precision become float64.

    Returns
    -------
    ndarray or scalar
        ``exp(x**2) * erfc(x)`` in the dtype of `x`.

    Raises
    ------
    TypeError
        For complex and extended-precision arguments.

    Notes
    -----
    For large x the value is close to ``1 / (x * sqrt(pi))``; for x below about -26.63 it is larger
    than the largest double and infinite. NaN gives NaN.

    References
    ----------
    .. [1] NIST Digital Library of Mathematical Functions, section 7.2(i) and 7.12.

    Examples
    --------
    >>> from numerics import special
    >>> float(special.erfcx(0.0)), round(float(special.erfcx(30.0)), 9)
    (1.0, 0.018795889)
    """,
)
