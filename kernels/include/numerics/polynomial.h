#pragma once

// Polynomials with coefficients from the constant term upwards. The order of evaluation is part of the algorithm.

#include "numerics/pack.h"

namespace numerics {
inline namespace NUMERICS_ISA_NAMESPACE {

template <int first, int step, int count, typename V>
HOST_DEVICE inline V horner(V x, const double (&coefficients)[count]) {
  if constexpr (first + step >= count) {
    return coefficients[first];
  } else {
    return fma(horner<first + step, step>(x, coefficients), x, coefficients[first]);
  }
}

// Even and odd powers apart: half the latency of Horner's rule for two more operations.
template <int count, typename V>
HOST_DEVICE inline V polynomial(V x, const double (&coefficients)[count]) {
#if SCHEME == 1
  return horner<0,1>(x, coefficients);
#elif SCHEME == 4
  const V square = x * x;
  const V fourth = square * square;
  V p0 = horner<0, 4>(fourth, coefficients);
  V p1 = horner<1, 4>(fourth, coefficients);
  V p2 = horner<2, 4>(fourth, coefficients);
  V p3 = horner<3, 4>(fourth, coefficients);
  return fma(square,fma(p3,x,p2),fma(p1,x,p0));
#else
  const V square = x * x;
  return fma(horner<1, 2>(square, coefficients), x, horner<0, 2>(square, coefficients));
#endif
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
