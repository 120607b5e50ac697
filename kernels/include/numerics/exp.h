#pragma once

// exp of a double-double: what is needed wherever exp(+-x^2) or x^a e^-x multiplies a result, since the low half of the
// argument is a relative error of the value.

#include "numerics/double_double.h"
#include "numerics/polynomial.h"

namespace numerics {
inline namespace NUMERICS_ISA_NAMESPACE {

// A value (high + low) 2^exponent with |low| small against high, kept apart so that the caller rounds once.
template <typename V>
struct Scaled {
  V high;
  V low;
  Integer<V> exponent;
};

// exp(high + low) = (high + low) 2^exponent
//
//   range           method                                              degree  relative error
//   |high| <= 1400  n = round(high / ln 2), t = high + low - n ln 2,    12      2^-63 before rounding
//                   1 + t + t^2 p(t), |t| <= 0.3466
//
// The sum 1 + t is kept exactly; p carries less than 7 % of the value, so the pair is good to about 2^-57.
// Reference: W. J. Cody, W. Waite, Software Manual for the Elementary Functions (1980), chapter 6 (the reduction).
template <typename V>
HOST_DEVICE inline Scaled<V> exp_scaled(DoubleDouble<V> x) {
  constexpr double LOG2_E = 0x1.71547652b82fep+0;     // 1 / ln 2
  constexpr double LN2_HIGH = 0x1.62e42fefa39efp-1;   // ln 2 rounded
  constexpr double LN2_LOW = 0x1.abc9e3b39803fp-56;   // ln 2 - LN2_HIGH rounded
  constexpr double p[] = {0x1.0000000000000p-1, 0x1.555555555555cp-3, 0x1.5555555555541p-5, 0x1.111111110ea06p-7, 0x1.6c16c16c1fa9dp-10, 0x1.a01a01b43e0efp-13, 0x1.a01a0176e937cp-16, 0x1.71ddee867a44ep-19, 0x1.27e540c3e9a90p-22, 0x1.af6e5b2b81035p-26, 0x1.1ed986d1f5259p-29};

  const V n = round(x.high * LOG2_E);
  const V t_high = fma(-n, LN2_HIGH, x.high);  // exact: a multiple of 2^-53 below 0.35
  const V t_low = fma(-n, LN2_LOW, x.low);
  const DoubleDouble<V> t = fast_two_sum(t_high, t_low);
  const DoubleDouble<V> sum = fast_two_sum(V(1.0), t.high);
  return {sum.high, sum.low + fma(t.high * t.high, polynomial(t.high, p), t.low * sum.high), to_integer(n)};
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
