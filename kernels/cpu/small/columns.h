// A matrix whose columns are packs of rows, and what is done with the lanes of a pack. Compiled once
// per instruction set.
#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

#include "lanes.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {

inline Index chunk_of(Index row) {
  return static_cast<Index>(static_cast<std::size_t>(row) / kPackLanes);
}
inline Index lane_of(Index row) {
  return static_cast<Index>(static_cast<std::size_t>(row) % kPackLanes);
}

// A number in every lane; it may stand in memory, its imaginary part a pack behind the real one.
inline Pack in_every_lane(double x) { return Pack(x); }
inline Complex<Pack> in_every_lane(Complex<double> z) { return {Pack(z.re), Pack(z.im)}; }
template <typename E>
inline E in_every_lane(const double* x) {
  if constexpr (Element<E>::kParts == 1)
    return Pack(x[0]);
  else
    return {Pack(x[0]), Pack(x[kPackLanes])};
}

template <typename E>
class Columns {
 public:
  using Scalar = ScalarOf<E>;

  // Columns are `leading` packs apart.
  Columns(E* data, Index chunks, Index leading) : data_(data), chunks_(chunks), leading_(leading) {}

  E& operator()(Index chunk, Index j) const { return data_[j * leading_ + chunk]; }

  Scalar at(Index i, Index j) const {
    const double* parts = part(i, j);
    if constexpr (Element<E>::kParts == 1)
      return parts[0];
    else
      return {parts[0], parts[kPackLanes]};
  }

  void set(Index i, Index j, Scalar x) const {
    double* parts = part(i, j);
    if constexpr (Element<E>::kParts == 1) {
      parts[0] = x;
    } else {
      parts[0] = x.re;
      parts[kPackLanes] = x.im;
    }
  }

  // Rows i and k of column j. Whole packs are stored: a pack cannot be loaded soon after a part of
  // it was stored.
  void exchange(Index i, Index k, Index j) const {
    const E from_i = in_every_lane<E>(part(i, j)), from_k = in_every_lane<E>(part(k, j));
    E& to_i = (*this)(chunk_of(i), j);
    to_i = select(only_lane(lane_of(i)), from_k, to_i);
    E& to_k = (*this)(chunk_of(k), j);
    to_k = select(only_lane(lane_of(k)), from_i, to_k);
  }

  Index chunks() const { return chunks_; }

  // Where (the real part of) an entry stands, and the distance from column to column.
  double* part(Index i, Index j) const {
    return reinterpret_cast<double*>(&(*this)(chunk_of(i), j)) + lane_of(i);
  }
  Index leading() const { return leading_; }

 private:
  E* data_;
  Index chunks_, leading_;
};

// One lane of x, in every lane.
template <int lane>
inline Pack spread(Pack x) {
#if defined(__AVX512F__)
  return Pack(SHUFFLED(x.lanes, x.lanes, lane, lane, lane, lane, lane, lane, lane, lane));
#elif defined(__AVX2__)
  return Pack(SHUFFLED(x.lanes, x.lanes, lane, lane, lane, lane));
#else
  return Pack(SHUFFLED(x.lanes, x.lanes, lane, lane));
#endif
}
template <int lane>
inline Complex<Pack> spread(Complex<Pack> z) {
  return {spread<lane>(z.re), spread<lane>(z.im)};
}

// x with every lane replaced by the one `distance` lanes away.
inline Pack exchange_lanes(Pack x, std::integral_constant<int, 1>) {
#if defined(__AVX512F__)
  return Pack(SHUFFLED(x.lanes, x.lanes, 1, 0, 3, 2, 5, 4, 7, 6));
#elif defined(__AVX2__)
  return Pack(SHUFFLED(x.lanes, x.lanes, 1, 0, 3, 2));
#else
  return Pack(SHUFFLED(x.lanes, x.lanes, 1, 0));
#endif
}
#if defined(__AVX512F__) || defined(__AVX2__)
inline Pack exchange_lanes(Pack x, std::integral_constant<int, 2>) {
#if defined(__AVX512F__)
  return Pack(SHUFFLED(x.lanes, x.lanes, 2, 3, 0, 1, 6, 7, 4, 5));
#else
  return Pack(SHUFFLED(x.lanes, x.lanes, 2, 3, 0, 1));
#endif
}
#endif
#if defined(__AVX512F__)
inline Pack exchange_lanes(Pack x, std::integral_constant<int, 4>) {
  return Pack(SHUFFLED(x.lanes, x.lanes, 4, 5, 6, 7, 0, 1, 2, 3));
}
#endif

// The largest lane, in every lane.
template <int distance = kPackLanes / 2>
inline Pack largest_lane(Pack x) {
  const Pack larger = maximum(x, exchange_lanes(x, std::integral_constant<int, distance>()));
  if constexpr (distance == 1)
    return larger;
  else
    return largest_lane<distance / 2>(larger);
}

// visit(0), visit(1), ... with numbers that the compiler knows.
template <typename Visit, int... numbers>
inline void for_each_of(std::integer_sequence<int, numbers...>, Visit visit) {
  (visit(std::integral_constant<int, numbers>()), ...);
}
template <int count, typename Visit>
inline void for_each_below(Visit visit) {
  for_each_of(std::make_integer_sequence<int, count>(), visit);
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
