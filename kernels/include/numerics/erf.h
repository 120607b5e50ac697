#pragma once

#include "numerics/double_double.h"
#include "numerics/exp.h"
#include "numerics/polynomial.h"

// The error function and its relatives, real argument. DLMF chapter 7.
namespace numerics {
inline namespace NUMERICS_ISA_NAMESPACE {

// erfcx(x) = exp(x^2) erfc(x)
//
//   range           method                                                degree  relative error
//   2^50 <= x       1 / (x sqrt(pi)), the first term of DLMF 7.12.1       0       2^-101
//   0 <= x < 2^50   r q(r), r = 1 / (x + 3)                               24      2^-56.4
//   x < 0           2 exp(x^2) - erfcx(-x), DLMF 7.4.2, with x^2 as a     -       2^-55
//                   double-double; overflows where the value does,
//                   below -26.628735713751 or so
//
// With rounding at most 1.45 ulp for x >= 0 and 1.25 for x < 0 (measured).
// Reference for the map of [0, inf) to an interval: M. M. Shepherd, J. G. Laframboise, Math. Comp.
// 36 (1981) 249-253.

// 0 <= x < 2^50. The two roundings of r are computed: 1 / (x + 3) = r (1 - defect) to first order,
// and the slope of log erfcx against log r turns them into a correction of the result. So are the
// roundings of the last two steps of q.
template <typename V>
HOST_DEVICE inline V erfcx_moderate(V x) {
  // (x + 3) erfcx(x) as a polynomial in r - kCentre, 0 <= r <= 1/3. kCentre: of the places that
  // balance the rounding errors at both ends, one where the value is a double, q0, to 2^-62. The
  // others: least squares of the relative error at 160 Chebyshev points in 400 bits, rounded one
  // after another from q1 up, the rest fitted again after each.
  constexpr double kCentre = 0x1.1586d00000000p-3;
  constexpr double q0 = 0x1.daef5e75fd29cp-1, q1 = 0x1.09d969b880aacp+2, q2 = 0x1.fa359fc699879p+3;
  constexpr double q3[] = {
      0x1.8e4f4ef62baf7p+5,   0x1.e9aaff92ff3d1p+6,   0x1.976acd2a170ffp+7,   0x1.87cef14e293b3p+6,
      -0x1.1233e0c1bddcfp+9,  -0x1.59d71a5059839p+10, 0x1.c6935843f6b71p+8,   0x1.d79f7f7f05658p+12,
      0x1.3da6227a40040p+12,  -0x1.39699c44c0626p+15, -0x1.a5155cea33c61p+15, 0x1.dc8ce18e6808cp+17,
      0x1.8f05a3b1d19ddp+18,  -0x1.af9893163bd6ep+20, -0x1.3f0d70e096ef8p+21, 0x1.b931963721ef6p+23,
      0x1.3429909353768p+23,  -0x1.a8d242feed64ep+26, 0x1.b3f56b4ac68a3p+25,  0x1.ee7a4d10a1bd2p+28,
      -0x1.e2e9d4564aff2p+29, 0x1.c7d02ec41798dp+28};
  // -d log erfcx / d log r as a polynomial in r - kCentre to 0.03, least squares.
  constexpr double slope[] = {-1.623726437325166, -6.428782500954359, -13.277405645203563};

  const DoubleDouble<V> shifted = fast_two_sum(V(3.0), x);
  const V r = 1.0 / shifted.high;
  const V defect = fma(r, shifted.low, fma(r, shifted.high, -1.0));
  const V s = r - kCentre;
  const V tail = fma(s, polynomial(s, q3), q2);
  const V g = fma(s, tail, q1);
  const V q = fma(s, g, q0);
  const V g_low = fma(s, tail, q1 - g);
  const V q_low = fma(s, g_low, fma(s, g, q0 - q));
  const V correction = fma(defect * q, horner<0, 1>(s, slope), q_low);
  return fma(r, q, r * correction);
}

template <typename V>
HOST_DEVICE inline V erfcx(V x) {
  constexpr double kLarge = 0x1p50;
  constexpr double kInvSqrtPi = 0x1.20dd750429b6dp-1;  // 1 / sqrt(pi) rounded, 0.06 ulp off
  constexpr double kOverflow =
      26.63;  // 2 exp(kOverflow^2) = 1.07 2^1024, overflows like all beyond

  if (all((x >= 0.0) & (x < kLarge))) return erfcx_moderate(x);

  const V a = abs(x);
  V y = erfcx_moderate(a);
  if (any(a >= kLarge)) y = select(a >= kLarge, kInvSqrtPi / a, y);
  if (any(x < 0.0)) {
    const V b = select(a < kOverflow, a, kOverflow);
    const Scaled<V> power = exp_scaled(two_prod(b, b));
    const V unit = pow2<V>(power.exponent);
    const V reflected = fma(2.0 * power.high, unit, fma(2.0 * power.low, unit, -y));
    y = select(x < 0.0, reflected, y);
  }
  return select(x == x, y, quiet(x));
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
