#pragma once

// The value types V that the mathematics is written for, and the primitives it is written in.
//
//   double   CPU scalar and CUDA
//   Pack     a register of doubles: 2 (SSE2, NEON), 4 (AVX2) or 8 (AVX-512)
//
// Every primitive is exact or rounds once, on every machine: with contraction off, the same
// template gives the same bits for every V. Integer<V> and Mask<V> have the lanes of V; masks
// combine with & and |. A double stands for a Pack with that value in every lane.

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

constexpr std::int64_t kSignBit = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kQuietBit = std::int64_t{1} << 51;

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
HOST_DEVICE inline double sqrt(double x) { return std::sqrt(x); }

HOST_DEVICE inline bool any(bool mask) { return mask; }
HOST_DEVICE inline bool all(bool mask) { return mask; }
HOST_DEVICE inline double select(bool mask, double yes, double no) { return mask ? yes : no; }
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

// ---- Pack ---------------------------------------------------------------------------------------

#if !defined(__CUDACC__)

#if defined(__AVX512F__)
constexpr int kPackLanes = 8;
#elif defined(__AVX2__)
constexpr int kPackLanes = 4;
#else
constexpr int kPackLanes = 2;
#endif

typedef double DoubleVector __attribute__((vector_size(8 * kPackLanes)));
typedef float FloatVector __attribute__((vector_size(4 * kPackLanes)));
typedef std::int64_t IntegerVector __attribute__((vector_size(8 * kPackLanes)));

// AVX-512 has registers for masks; elsewhere a lane is all ones or all zeros.
struct PackMask {
#if defined(__AVX512F__)
  __mmask8 lanes;

  friend PackMask operator!(PackMask a) { return {__mmask8(~a.lanes)}; }
  friend PackMask operator&(PackMask a, PackMask b) { return {__mmask8(a.lanes & b.lanes)}; }
  friend PackMask operator|(PackMask a, PackMask b) { return {__mmask8(a.lanes | b.lanes)}; }
  friend PackMask operator^(PackMask a, PackMask b) { return {__mmask8(a.lanes ^ b.lanes)}; }
#else
  IntegerVector lanes;

  friend PackMask operator!(PackMask a) { return {~a.lanes}; }
  friend PackMask operator&(PackMask a, PackMask b) { return {a.lanes & b.lanes}; }
  friend PackMask operator|(PackMask a, PackMask b) { return {a.lanes | b.lanes}; }
  friend PackMask operator^(PackMask a, PackMask b) { return {a.lanes ^ b.lanes}; }
#endif
};

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

#if defined(__AVX512F__)
  friend PackMask operator<(Pack a, Pack b) {
    return {_mm512_cmp_pd_mask(a.lanes, b.lanes, _CMP_LT_OQ)};
  }
  friend PackMask operator<=(Pack a, Pack b) {
    return {_mm512_cmp_pd_mask(a.lanes, b.lanes, _CMP_LE_OQ)};
  }
  friend PackMask operator==(Pack a, Pack b) {
    return {_mm512_cmp_pd_mask(a.lanes, b.lanes, _CMP_EQ_OQ)};
  }
#else
  friend PackMask operator<(Pack a, Pack b) { return {(IntegerVector)(a.lanes < b.lanes)}; }
  friend PackMask operator<=(Pack a, Pack b) { return {(IntegerVector)(a.lanes <= b.lanes)}; }
  friend PackMask operator==(Pack a, Pack b) { return {(IntegerVector)(a.lanes == b.lanes)}; }
#endif
  friend PackMask operator>(Pack a, Pack b) { return b < a; }
  friend PackMask operator>=(Pack a, Pack b) { return b <= a; }
  friend PackMask operator!=(Pack a, Pack b) { return !(a == b); }
};

template <>
struct Lanes<Pack> {
  using Integer = IntegerVector;
  using Mask = PackMask;
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

inline Pack sqrt(Pack x) {
#if defined(__AVX512F__)
  // The plain intrinsic draws a false warning from GCC 12 (its bug 105593).
  return DoubleVector(_mm512_maskz_sqrt_pd(__mmask8(0xff), x.lanes));
#elif defined(__AVX2__)
  return DoubleVector(_mm256_sqrt_pd(x.lanes));
#elif defined(__aarch64__)
  return DoubleVector(vsqrtq_f64(x.lanes));
#else
  return DoubleVector{std::sqrt(x.lanes[0]), std::sqrt(x.lanes[1])};
#endif
}

// The larger one, and b if either is NaN.
inline Pack maximum(Pack a, Pack b) {
#if defined(__AVX512F__)
  return DoubleVector(_mm512_maskz_max_pd(__mmask8(0xff), a.lanes, b.lanes));
#elif defined(__AVX2__)
  return DoubleVector(_mm256_max_pd(a.lanes, b.lanes));
#else
  return a.lanes > b.lanes ? a.lanes : b.lanes;
#endif
}

inline bool any(PackMask mask) {
#if defined(__AVX512F__)
  return mask.lanes != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_pd((__m256d)mask.lanes) != 0;
#else
  return (mask.lanes[0] | mask.lanes[1]) != 0;
#endif
}

inline bool all(PackMask mask) { return !any(!mask); }

inline Pack select(PackMask mask, Pack yes, Pack no) {
#if defined(__AVX512F__)
  return DoubleVector(_mm512_mask_blend_pd(mask.lanes, no.lanes, yes.lanes));
#else
  return mask.lanes ? yes.lanes : no.lanes;
#endif
}

inline IntegerVector to_bits(Pack x) { return (IntegerVector)x.lanes; }
inline Pack from_bits(IntegerVector bits) { return (DoubleVector)bits; }

#endif

// ---- both ---------------------------------------------------------------------------------------

template <typename V>
HOST_DEVICE inline V abs(V x) {
  return from_bits(to_bits(x) & ~kSignBit);
}

// A NaN as it came, made quiet without arithmetic, which on some machines loses the payload.
template <typename V>
HOST_DEVICE inline V quiet(V nan) {
  return from_bits(to_bits(nan) | kQuietBit);
}

// The nearest integer, ties to even, as a value and as an integer, for |x| <= 2^51.
template <typename V>
struct Rounded {
  V value;
  Integer<V> integer;
};

template <typename V>
HOST_DEVICE inline Rounded<V> round(V x) {
  constexpr double kShift = 0x1.8p52;  // x + kShift holds the integer in its low bits
  const V shifted = x + kShift;
  return {shifted - kShift, to_bits(shifted) - to_bits(kShift)};
}

// 2^n for -1022 <= n <= 1023.
template <typename V>
HOST_DEVICE inline V pow2(Integer<V> n) {
  return from_bits((n + 1023) << 52);
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics
