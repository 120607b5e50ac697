// Between memory and packs: entry by entry of several matrices, or of several rows of one, each of
// which is a lane. Compiled once per instruction set.
#pragma once

#include <cstddef>
#include <limits>

#include "numbers.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {

using Index = std::ptrdiff_t;

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLED(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLED(a, b, ...) __builtin_shuffle(a, b, IntegerVector{__VA_ARGS__})
#endif

// Entry j of row i becomes entry i of row j.
[[gnu::always_inline]] inline void transpose(Pack (&rows)[kPackLanes]) {
#if defined(__AVX512F__)
  DoubleVector pairs[8], quads[8];
  for (int i = 0; i < 8; i += 2) {
    const DoubleVector a = rows[i].lanes, b = rows[i + 1].lanes;
    pairs[i] = SHUFFLED(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    pairs[i + 1] = SHUFFLED(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {
      const DoubleVector a = pairs[i + j], b = pairs[i + 2 + j];
      quads[i + j] = SHUFFLED(a, b, 0, 1, 4, 5, 8, 9, 12, 13);
      quads[i + 2 + j] = SHUFFLED(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
    }
  }
  for (int j = 0; j < 4; ++j) {
    const DoubleVector a = quads[j], b = quads[4 + j];
    rows[j] = SHUFFLED(a, b, 0, 1, 4, 5, 8, 9, 12, 13);
    rows[4 + j] = SHUFFLED(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
  }
#elif defined(__AVX2__)
  DoubleVector pairs[4];
  for (int i = 0; i < 4; i += 2) {
    const DoubleVector a = rows[i].lanes, b = rows[i + 1].lanes;
    pairs[i] = SHUFFLED(a, b, 0, 4, 2, 6);
    pairs[i + 1] = SHUFFLED(a, b, 1, 5, 3, 7);
  }
  for (int j = 0; j < 2; ++j) {
    const DoubleVector a = pairs[j], b = pairs[2 + j];
    rows[j] = SHUFFLED(a, b, 0, 1, 4, 5);
    rows[2 + j] = SHUFFLED(a, b, 2, 3, 6, 7);
  }
#else
  const DoubleVector a = rows[0].lanes, b = rows[1].lanes;
  rows[0] = SHUFFLED(a, b, 0, 2);
  rows[1] = SHUFFLED(a, b, 1, 3);
#endif
}

// The number of each lane.
inline Pack lane_numbers() {
#if defined(__AVX512F__)
  return DoubleVector{0, 1, 2, 3, 4, 5, 6, 7};
#elif defined(__AVX2__)
  return DoubleVector{0, 1, 2, 3};
#else
  return DoubleVector{0, 1};
#endif
}

inline PackMask lanes_below(Index lane) {
#if defined(__AVX512F__)
  return {__mmask8((1u << lane) - 1)};
#else
  return lane_numbers() < Pack(static_cast<double>(lane));
#endif
}
inline PackMask only_lane(Index lane) {
#if defined(__AVX512F__)
  return {__mmask8(1u << lane)};
#else
  return lane_numbers() == Pack(static_cast<double>(lane));
#endif
}

// One bit per lane.
inline unsigned to_bits(PackMask mask) {
#if defined(__AVX512F__)
  return mask.lanes;
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask.lanes));
#else
  return static_cast<unsigned>((mask.lanes[0] & 1) | (mask.lanes[1] & 2));
#endif
}
inline unsigned to_bits(bool mask) { return mask; }

// The first `count` numbers, fewer than a pack, and zeros.
inline Pack load_some(const double* source, Index count) {
#if defined(__AVX512F__)
  return DoubleVector(_mm512_maskz_loadu_pd(__mmask8((1u << count) - 1), source));
#elif defined(__AVX2__)
  return DoubleVector(_mm256_maskload_pd(source, (__m256i)lanes_below(count).lanes));
#else
  return count > 0 ? DoubleVector{source[0], 0} : DoubleVector{};
#endif
}
inline Pack load_some(const float* source, Index count) {
  float padded[kPackLanes] = {};
  for (Index i = 0; i < count; ++i) padded[i] = source[i];
  return Pack::load(padded);
}

inline void store_some(Pack x, double* target, Index count) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_pd(target, __mmask8((1u << count) - 1), x.lanes);
#elif defined(__AVX2__)
  _mm256_maskstore_pd(target, (__m256i)lanes_below(count).lanes, x.lanes);
#else
  if (count > 0) target[0] = x.lanes[0];
#endif
}
inline void store_some(Pack x, float* target, Index count) {
  float padded[kPackLanes];
  x.store(padded);
  for (Index i = 0; i < count; ++i) target[i] = padded[i];
}

// `count` numbers of each lane, which lie side by side there. Number e of all lanes becomes a pack;
// `parts` of them are an element, and elements are `step` apart.
template <int parts, typename Stored>
[[gnu::always_inline]] inline void load_lanes(const char* const* lanes, Index count, Pack* to,
                                              Index step) {
  for (Index e = 0; e < count; e += kPackLanes) {
    const Index width = count - e < kPackLanes ? count - e : kPackLanes;
    Pack rows[kPackLanes];
    for (int lane = 0; lane < kPackLanes; ++lane) {
      const Stored* row = reinterpret_cast<const Stored*>(lanes[lane]) + e;
      rows[lane] = width == kPackLanes ? Pack::load(row) : load_some(row, width);
    }
    transpose(rows);
#pragma GCC unroll 8
    for (Index i = 0; i < width; ++i)
      to[(e + i) / parts * step * parts + (e + i) % parts] = rows[i];
  }
}

// Finite in double, but infinite in single precision.
inline PackMask overflows_single(Pack x) {
  constexpr double kLimit = 0x1.ffffffp127;  // the first number that is rounded to infinity
  return (abs(x) >= Pack(kLimit)) & (abs(x) <= Pack(std::numeric_limits<double>::max()));
}

// The converse, for the first `used` lanes. Returns the lanes in which rounding overflowed.
template <int parts, typename Stored>
[[gnu::always_inline]] inline PackMask store_lanes(const Pack* from, Index step, Index count,
                                                   char* const* lanes, int used) {
  PackMask overflow = Pack(0.0) < Pack(0.0);
  for (Index e = 0; e < count; e += kPackLanes) {
    const Index width = count - e < kPackLanes ? count - e : kPackLanes;
    Pack rows[kPackLanes];
    for (Index i = 0; i < kPackLanes; ++i) {
      rows[i] = i < width ? from[(e + i) / parts * step * parts + (e + i) % parts] : Pack(0.0);
      if constexpr (std::is_same_v<Stored, float>) overflow = overflow | overflows_single(rows[i]);
    }
    transpose(rows);
    for (int lane = 0; lane < kPackLanes && lane < used; ++lane) {
      Stored* row = reinterpret_cast<Stored*>(lanes[lane]) + e;
      if (width == kPackLanes) {
        rows[lane].store(row);
      } else {
        store_some(rows[lane], row, width);
      }
    }
  }
  return overflow;
}

// One number of each lane.
template <typename Stored>
inline Pack gather(const char* const* lanes, Index offset) {
  DoubleVector x;
  for (int lane = 0; lane < kPackLanes; ++lane) {
    x[lane] = *reinterpret_cast<const Stored*>(lanes[lane] + offset);
  }
  return x;
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
