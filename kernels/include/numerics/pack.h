#pragma once

// The value types V that the mathematics is written for, and the primitives it is written in.
//
//   double   CPU scalar and CUDA
//   Pack     as many doubles as a register of the instruction set holds: 2 (SSE2, NEON), 4 (AVX2) or 8 (AVX-512)
//
// Every primitive is exact or rounds once, on every machine: with contraction off, the same template gives the same
// bits for every V. Integer<V> and Mask<V> have the lanes of V; masks combine with & | and !.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "numerics/platform.h"

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace numerics {
inline namespace NUMERICS_ISA_NAMESPACE {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr std::int64_t SIGN_BIT = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t QUIET_BIT = std::int64_t{1} << 51;
constexpr double INTEGER_SHIFT = 0x1.8p52;  // x + INTEGER_SHIFT holds round(x) in its low bits

template <typename V>
struct Lanes;

template <typename V>
using Integer = typename Lanes<V>::Integer;

template <typename V>
using Mask = typename Lanes<V>::Mask;

// ---- double -------------------------------------------------------------------------------------

template <>
struct Lanes<double> {
  using Integer = std::int64_t;
  using Mask = bool;
};

HOST_DEVICE inline double fma(double a, double b, double c) { return std::fma(a, b, c); }

HOST_DEVICE inline bool any(bool mask) { return mask; }
HOST_DEVICE inline bool all(bool mask) { return mask; }
HOST_DEVICE inline double select(bool mask, double yes, double no) { return mask ? yes : no; }
HOST_DEVICE inline std::int64_t select(bool mask, std::int64_t yes, std::int64_t no) {
  return mask ? yes : no;
}

HOST_DEVICE inline std::int64_t to_bits(double x) {
  std::int64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

HOST_DEVICE inline double from_bits(std::int64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

HOST_DEVICE inline double gather(const double* table, std::int64_t index) { return table[index]; }

// ---- Pack ---------------------------------------------------------------------------------------

#if !defined(__CUDACC__)

#if defined(__AVX512F__)
constexpr int PACK_LANES = 8;
#elif defined(__AVX2__)
constexpr int PACK_LANES = 4;
#else
constexpr int PACK_LANES = 2;
#endif

typedef double DoubleVector __attribute__((vector_size(8 * PACK_LANES)));
typedef float FloatVector __attribute__((vector_size(4 * PACK_LANES)));
typedef std::int64_t IntegerVector __attribute__((vector_size(8 * PACK_LANES)));

struct Pack {
  DoubleVector lanes;

  Pack() = default;
  Pack(DoubleVector vector) : lanes(vector) {}
  Pack(double value) : lanes(value - DoubleVector{}) {}

  static Pack load(const double* source) {
    Pack x;
    std::memcpy(&x.lanes, source, sizeof x.lanes);
    return x;
  }
  static Pack load(const float* source) {
    FloatVector narrow;
    std::memcpy(&narrow, source, sizeof narrow);
    return __builtin_convertvector(narrow, DoubleVector);
  }
  void store(double* target) const { std::memcpy(target, &lanes, sizeof lanes); }
  void store(float* target) const {
    const FloatVector narrow = __builtin_convertvector(lanes, FloatVector);
    std::memcpy(target, &narrow, sizeof narrow);
  }

  friend Pack operator-(Pack a) { return -a.lanes; }
  friend Pack operator+(Pack a, Pack b) { return a.lanes + b.lanes; }
  friend Pack operator-(Pack a, Pack b) { return a.lanes - b.lanes; }
  friend Pack operator*(Pack a, Pack b) { return a.lanes * b.lanes; }
  friend Pack operator/(Pack a, Pack b) { return a.lanes / b.lanes; }
  friend IntegerVector operator<(Pack a, Pack b) { return (IntegerVector)(a.lanes < b.lanes); }
  friend IntegerVector operator>(Pack a, Pack b) { return (IntegerVector)(a.lanes > b.lanes); }
  friend IntegerVector operator<=(Pack a, Pack b) { return (IntegerVector)(a.lanes <= b.lanes); }
  friend IntegerVector operator>=(Pack a, Pack b) { return (IntegerVector)(a.lanes >= b.lanes); }
  friend IntegerVector operator==(Pack a, Pack b) { return (IntegerVector)(a.lanes == b.lanes); }
  friend IntegerVector operator!=(Pack a, Pack b) { return (IntegerVector)(a.lanes != b.lanes); }
};

template <>
struct Lanes<Pack> {
  using Integer = IntegerVector;
  using Mask = IntegerVector;
};

inline Pack fma(Pack a, Pack b, Pack c) {
#if defined(__AVX512F__)
  return DoubleVector(_mm512_fmadd_pd(a.lanes, b.lanes, c.lanes));
#elif defined(__AVX2__)
  return DoubleVector(_mm256_fmadd_pd(a.lanes, b.lanes, c.lanes));
#elif defined(__aarch64__)
  return DoubleVector(vfmaq_f64(c.lanes, a.lanes, b.lanes));
#else
  return DoubleVector{std::fma(a.lanes[0], b.lanes[0], c.lanes[0]),
                      std::fma(a.lanes[1], b.lanes[1], c.lanes[1])};
#endif
}

inline bool any(IntegerVector mask) {
#if defined(__AVX512F__)
  return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_pd((__m256d)mask) != 0;
#else
  return (mask[0] | mask[1]) != 0;
#endif
}

inline bool all(IntegerVector mask) { return !any(~mask); }
inline Pack select(IntegerVector mask, Pack yes, Pack no) { return mask ? yes.lanes : no.lanes; }
inline IntegerVector select(IntegerVector mask, IntegerVector yes, IntegerVector no) {
  return mask ? yes : no;
}

inline IntegerVector to_bits(Pack x) { return (IntegerVector)x.lanes; }
inline Pack from_bits(IntegerVector bits) { return (DoubleVector)bits; }

inline Pack gather(const double* table, IntegerVector index) {
  Pack x;
  for (int lane = 0; lane < PACK_LANES; ++lane) x.lanes[lane] = table[index[lane]];
  return x;
}

#endif

// ---- both ---------------------------------------------------------------------------------------

template <typename V>
HOST_DEVICE inline V abs(V x) {
  return from_bits(to_bits(x) & ~SIGN_BIT);
}

template <typename V>
HOST_DEVICE inline V copysign(V magnitude, V sign) {
  return from_bits((to_bits(magnitude) & ~SIGN_BIT) | (to_bits(sign) & SIGN_BIT));
}

// A NaN as it came, made quiet without arithmetic: which payload arithmetic keeps depends on the machine.
template <typename V>
HOST_DEVICE inline V quiet(V nan) {
  return from_bits(to_bits(nan) | QUIET_BIT);
}

// The nearest integer, ties to even, for |x| <= 2^51.
template <typename V>
HOST_DEVICE inline V round(V x) {
  return (x + INTEGER_SHIFT) - INTEGER_SHIFT;
}

// An integral x, |x| <= 2^51, as an integer.
template <typename V>
HOST_DEVICE inline Integer<V> to_integer(V x) {
  return to_bits(x + INTEGER_SHIFT) - to_bits(INTEGER_SHIFT);
}

// 2^n for -1022 <= n <= 1023.
template <typename V>
HOST_DEVICE inline V pow2(Integer<V> n) {
  return from_bits((n + 1023) << 52);
}

// x 2^n for |n| <= 2044, rounded at most once: the last product alone can leave the normal range, unless the
// result is far below the least subnormal number.
template <typename V>
HOST_DEVICE inline V scale(V x, Integer<V> n) {
  const Integer<V> low = Integer<V>{} - 1022;
  const Integer<V> high = Integer<V>{} + 1023;
  const Integer<V> last = select(n < low, low, select(n > high, high, n));
  return x * pow2<V>(n - last) * pow2<V>(last);
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
