#pragma once

#include "numerics/double_double.h"
#include "numerics/exp.h"
#include "numerics/polynomial.h"

namespace numerics {
inline namespace NUMERICS_ISA_NAMESPACE {

template <typename V>
HOST_DEVICE inline V erfcx_nonnegative(V x) {
  constexpr double SHIFT = 4.0;
  constexpr double CENTRE = 0x1.fffd600000000p-4;
  constexpr double CENTRE_VALUE = 0x1.1891e3d3124cep+0;
  constexpr double q[] = {0x1.f3fa22c104470p+2, 0x1.8bddc07cc38c9p+5, 0x1.14e751cc9123fp+8, 0x1.52c630e476570p+10, 0x1.645b08cacf571p+12, 0x1.38d7f271f6074p+14, 0x1.b007e9b575002p+15, 0x1.908e6d9ee7b59p+16, 0x1.26b3c7f44a69dp+15, -0x1.dd1dd1635bd0bp+18, -0x1.72cd27944445cp+20, -0x1.e892f14b40588p+17, 0x1.3c6813adcea54p+23, 0x1.3b1871b8b4ad9p+24, -0x1.7e09f26cd4467p+25, -0x1.c70c1f7afd3bap+27, 0x1.3f08e5e53cedbp+27, 0x1.0fe7e23a01f04p+31, 0x1.7183aea2025bdp+25, -0x1.34ebf66c47ef7p+34, -0x1.9000d3a1e2257p+32, 0x1.337747271ae8ap+37, 0x1.612cd92bdfef6p+35, -0x1.78f8b12089852p+39};
  constexpr double l[] = {0x1.e64cdf2p+0, 0x1.b585169p+3, 0x1.bccb5f2p+5};

  const DoubleDouble<V> p = fast_two_sum(V(SHIFT), x);
  const V r = 1.0 / p.high;
  const V e = fma(-r, p.low, fma(-r, p.high, 1.0));
  const V s = r - CENTRE;
  const V g = polynomial(s, q);
  const DoubleDouble<V> Q0 = {fma(s, g, CENTRE_VALUE), 0.0};
  const V Q_low = fma(s, g, CENTRE_VALUE - Q0.high);
  const V c = fma(e * Q0.high, horner<0, 1>(s, l), Q_low);
  return fma(r, Q0.high, r * c);
}

template <typename V>
HOST_DEVICE inline V erfcx(V x) {
  const auto is_common = (x >= 0.0) & (x < INFINITE);
  if (all(is_common)) return erfcx_nonnegative(x);

  const V a = abs(x);
  V y = select(a < INFINITE, erfcx_nonnegative(a), 0.0);
  if (any(x < 0.0)) {
    const V b = select(a < 26.63, a, 26.63);
    const Scaled<V> power = exp_scaled(two_prod(b, b));
    const V unit = pow2<V>(power.exponent);
    const V reflected = 2.0 * power.high * unit - (y - 2.0 * power.low * unit);
    y = select(x < 0.0, reflected, y);
  }
  return select(x == x, y, quiet(x));
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
