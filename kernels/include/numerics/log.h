#pragma once

// log as a double-double: needed wherever a multiple of it goes into exp, since its absolute error
// is a relative error of the power.

#include "numerics/double_double.h"
#include "numerics/polynomial.h"

namespace numerics {
inline namespace NUMERICS_ISA_NAMESPACE {

// log x for normal x > 0.
//
//   range                 method                                          degree  absolute error
//   x = m 2^e,            log x = e ln 2 + 2 artanh s, s = (m-1)/(m+1)
//   1/√2 <= m < √2        2 artanh s = 2 s + s^3 (2/3 + 2/5 s^2 + ...)    10      2^-59
//
// s is a double-double, and what is rounded besides is less than 1 % of 2 s. The series is Taylor's:
// s^2 <= 0.0295 makes the first term that is left out 2^-59 of the second.
template <typename V>
HOST_DEVICE inline DoubleDouble<V> log(V x) {
  constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
  constexpr double kLn2High =
      0x1.62e42fefa38p-1;  // ln 2 to 42 bits: multiples by exponents are exact
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;  // ln 2 - kLn2High rounded
  constexpr double c[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                          2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};

  const Integer<V> exponent = (to_bits(x) - to_bits(kSqrtHalf)) >> 52;
  const V m = from_bits(to_bits(x) - (exponent << 52));
  // The exponent as a double: its low bits behind those of a large number.
  constexpr double kShift = 0x1.8p52;
  const V e = from_bits(exponent + to_bits(kShift)) - kShift;
  const V numerator = m - 1.0;  // exact
  const auto is_above = m > V(1.0);
  const DoubleDouble<V> denominator =
      fast_two_sum(select(is_above, m, V(1.0)), select(is_above, V(1.0), m));
  const V reciprocal = 1.0 / denominator.high;
  const V s = numerator * reciprocal;
  const V s_low = fma(-s, denominator.low, fma(-s, denominator.high, numerator)) * reciprocal;
  const V square = s * s;
  const V rest = fma(square * s, polynomial(square, c), 2.0 * s_low);
  const DoubleDouble<V> sum = fast_two_sum(e * kLn2High, 2.0 * s);  // for e = 0 too
  return fast_two_sum(sum.high, sum.low + fma(e, V(kLn2Low), rest));
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
