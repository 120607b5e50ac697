#pragma once

// An unevaluated sum high + low, |low| <= ulp(high) / 2 unless said otherwise.
// T. J. Dekker, Numer. Math. 18 (1971) 224-242; D. E. Knuth, TAOCP vol. 2, 4.2.2.

#include "numerics/pack.h"

namespace numerics {
inline namespace NUMERICS_ISA_NAMESPACE {

template <typename V>
struct DoubleDouble {
  V high;
  V low;
};

// a + b exactly, for |a| >= |b|, or for a a multiple of the unit in the last place of the sum.
template <typename V>
HOST_DEVICE inline DoubleDouble<V> fast_two_sum(V a, V b) {
  const V sum = a + b;
  return {sum, b - (sum - a)};
}

// a b exactly, unless it underflows.
template <typename V>
HOST_DEVICE inline DoubleDouble<V> two_prod(V a, V b) {
  const V product = a * b;
  return {product, fma(a, b, -product)};
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
