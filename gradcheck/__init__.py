"""Checks of derivatives, for the functions of any library; needs NumPy alone."""

from gradcheck._adjoint import Nested, adjoint_defect, inner

__all__ = ["Nested", "adjoint_defect", "inner"]
