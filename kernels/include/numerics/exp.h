#pragma once

// exp of a double-double: needed wherever exp(x^2) or x^a e^-x multiplies a result, since the low
// half of the argument is a relative error of the value.

#include "numerics/double_double.h"
#include "numerics/polynomial.h"

namespace numerics {
inline namespace NUMERICS_ISA_NAMESPACE {

// (high + low) 2^exponent, kept apart so that the caller rounds once. |low| is small against high,
// but may be more than half its last place.
template <typename V>
struct Scaled {
  V high;
  V low;
  Integer<V> exponent;
};

// exp(high + low) = (high + low) 2^exponent
//
//   range           method                                          degree  relative error
//   |high| <= 1400  n = round(high / ln 2), t = high + low - n ln 2
//                   1 + t + t^2 p(t), |t| <= 0.3466                 12      2^-63.4
//
// The sum 1 + t is kept exactly and t^2 p(t) is less than 7 % of the value, so that rounding leaves
// the pair right to 2^-55 (measured).
// Reference for the reduction: W. J. Cody, W. Waite, Software Manual for the Elementary Functions
// (1980), chapter 6.
template <typename V>
HOST_DEVICE inline Scaled<V> exp_scaled(DoubleDouble<V> x) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;    // 1 / ln 2
  constexpr double kLn2High = 0x1.62e42fefa39efp-1;  // ln 2 rounded
  constexpr double kLn2Low = 0x1.abc9e3b39803fp-56;  // ln 2 - kLn2High rounded
  // Least squares of the relative error of exp at 100 Chebyshev points in 400 bits, rounded one
  // after another from the constant up, the rest fitted again after each.
  constexpr double p[] = {0x1.0000000000000p-1,  0x1.555555555555cp-3,  0x1.5555555555541p-5,
                          0x1.111111110ea06p-7,  0x1.6c16c16c1fa9dp-10, 0x1.a01a01b43e0efp-13,
                          0x1.a01a0176e937cp-16, 0x1.71ddee867a44ep-19, 0x1.27e540c3e9a90p-22,
                          0x1.af6e5b2b81035p-26, 0x1.1ed986d1f5259p-29};

  const Rounded<V> n = round(x.high * kLog2E);
  const V t_high = fma(n.value, -kLn2High, x.high);  // exact: at most 53 bits remain
  const V t_low = fma(n.value, -kLn2Low, x.low);
  const DoubleDouble<V> t = fast_two_sum(t_high, t_low);
  const DoubleDouble<V> sum = fast_two_sum(V(1.0), t.high);
  const V rest = fma(t.high * t.high, polynomial(t.high, p), t.low * sum.high);
  return {sum.high, sum.low + rest, n.integer};
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
