"""The adjoint test finds what it is meant to find, and nothing else."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from gradcheck import adjoint_defect, inner

SOUND = 1e-14
rng_seeds = pytest.mark.parametrize("seed", range(5))


@dataclass(frozen=True)
class Product:
    """The matrix product ``A @ x`` with its derivatives; the faults are planted in the adjoint."""

    is_conjugated: bool = True
    factor: float = 1.0

    def jvp(self, primals, tangents):
        A, x = primals
        dA, dx = tangents
        return dA @ x + A @ dx

    def vjp(self, primals, g):
        A, x = primals
        A, x = (A.conj(), x.conj()) if self.is_conjugated else (A, x)
        return self.factor * np.outer(g, x), A.T @ g


def complex_normal(rng, shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def real_normal(rng, shape):
    return rng.standard_normal(shape)


def defect(product, seed, *, draw=complex_normal):
    rng = np.random.default_rng(seed)
    primals = draw(rng, (3, 4)), draw(rng, 4)
    return adjoint_defect(product.jvp, product.vjp, primals, rng)


@rng_seeds
@pytest.mark.parametrize("draw", [real_normal, complex_normal])
def test_a_true_adjoint_has_no_defect(seed, draw):
    assert defect(Product(), seed, draw=draw) < SOUND


@rng_seeds
def test_a_missing_conjugate_is_found(seed):
    assert defect(Product(is_conjugated=False), seed) > 1e-3


@rng_seeds
def test_a_missing_conjugate_does_no_harm_to_real_input(seed):
    assert defect(Product(is_conjugated=False), seed, draw=real_normal) < SOUND


@rng_seeds
def test_a_factor_wrong_by_a_millionth_is_found(seed):
    assert 1e-9 < defect(Product(factor=1 + 1e-6), seed) < 1e-5


@rng_seeds
def test_a_real_function_of_a_complex_array_has_gradient_dx_plus_i_dy(seed):
    rng = np.random.default_rng(seed)
    z = complex_normal(rng, 5)

    def jvp(z, dz):  # of sum |z|**2
        return 2 * np.sum(z.real * dz.real + z.imag * dz.imag)

    assert adjoint_defect(jvp, lambda z, g: 2 * g * z, z, rng) < SOUND
    assert adjoint_defect(jvp, lambda z, g: 2 * g * z.conj(), z, rng) > 1e-3


def test_single_precision_is_measured_in_double():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(1000).astype(np.float32)

    def double(primals, direction):
        assert direction.dtype == np.float32
        return direction * np.float32(2)

    assert adjoint_defect(double, double, x, rng) < SOUND


def test_a_zero_derivative_has_no_defect():
    def zero(x, direction):
        return np.zeros_like(x)

    assert adjoint_defect(zero, zero, np.ones(3), np.random.default_rng(0)) == 0.0


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_derivative_that_is_not_finite_gives_nan(value):
    def broken(x, direction):
        return np.full_like(x, value)

    assert math.isnan(adjoint_defect(broken, broken, np.ones(3), np.random.default_rng(0)))


def test_an_adjoint_of_another_shape_is_an_error():
    with pytest.raises(ValueError, match=r"`vjp\(primals, u\)` must have the nesting and shapes"):
        adjoint_defect(lambda x, dx: dx.sum(), lambda x, g: g, np.ones(3), np.random.default_rng(0))


def test_a_complex_adjoint_for_a_real_array_is_an_error():
    with pytest.raises(ValueError, match="must be real where `primals` is"):
        adjoint_defect(
            lambda x, dx: 1j * dx, lambda x, g: -1j * g, np.ones(3), np.random.default_rng(0)
        )


def test_integers_have_no_directions():
    with pytest.raises(TypeError, match="one has dtype int"):
        adjoint_defect(lambda x, dx: dx, lambda x, g: g, np.arange(3), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1 + 2j, 3 + 4j, 11.0),
        ([1.0, (2j, np.array([3.0, 4.0]))], [1.0, (2j, np.array([5.0, 6.0]))], 44.0),
        (np.zeros((0, 3)), np.zeros((0, 3)), 0.0),
        ((), (), 0.0),
    ],
)
def test_inner_is_the_real_part_of_the_sum_of_conjugate_products(a, b, expected):
    assert inner(a, b) == expected


@pytest.mark.parametrize("b", [np.ones(1), np.ones((1, 3)), (np.ones(3),)])
def test_inner_does_not_broadcast(b):
    with pytest.raises(ValueError, match=r"gradcheck\.inner: `b` must have the nesting and shapes"):
        inner(np.ones(3), b)
