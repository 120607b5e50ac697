#pragma once

#include <type_traits>
#include <utility>

#include "numerics/platform.h"

namespace numerics {
inline namespace NUMERICS_ISA_NAMESPACE {

template <typename Visit, int... indices>
inline void unrolled(Visit visit, std::integer_sequence<int, indices...>) {
  (visit(std::integral_constant<int, indices>()), ...);
}

// visit(0), visit(1), ... as constants: arrays that only they index live in registers.
template <int count, typename Visit>
inline void unrolled(Visit visit) {
  unrolled(visit, std::make_integer_sequence<int, count>());
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
