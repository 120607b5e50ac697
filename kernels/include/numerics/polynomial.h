#pragma once

// Polynomials with coefficients from the constant term upwards. The order of evaluation is part of
// the algorithm.

#include "numerics/pack.h"

namespace numerics {
inline namespace NUMERICS_ISA_NAMESPACE {

// c[first] + c[first + step] x + c[first + 2 step] x^2 + ...
template <int first, int step, int count, typename V>
HOST_DEVICE inline V horner(V x, const double (&coefficients)[count]) {
  if constexpr (first + step >= count) {
    return coefficients[first];
  } else {
    return fma(horner<first + step, step>(x, coefficients), x, coefficients[first]);
  }
}

// Four Horner chains in x^4: a fourth of the latency for two more operations. Together they keep
// the multipliers of a core busy, which one chain does not.
template <int count, typename V>
HOST_DEVICE inline V polynomial(V x, const double (&coefficients)[count]) {
  static_assert(count >= 4, "use horner");
  const V square = x * x;
  const V fourth = square * square;
  const V low = fma(horner<1, 4>(fourth, coefficients), x, horner<0, 4>(fourth, coefficients));
  const V high = fma(horner<3, 4>(fourth, coefficients), x, horner<2, 4>(fourth, coefficients));
  return fma(high, square, low);
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
