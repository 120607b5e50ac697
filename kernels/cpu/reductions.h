// The loops that norms are made of, one table per instruction set. They run over numbers that lie
// side by side and compute in double; what lies otherwise is copied first.
//
// Element i goes to lane i modulo kLanes. The order of every sum is therefore the same whether one
// vector is read along memory or many side by side, and on every instruction set. The error of a
// sum grows with n/kLanes instead of n.
#pragma once

#include <cstddef>

namespace numerics::cpu {

constexpr std::ptrdiff_t kLanes = 32;

// What is done with x in its lane: + x², + |x|, max |x|, min |x|, + (x ≠ 0). NaN stays in every one
// but the last, which counts it.
enum Fold { kSquares, kMagnitudes, kLargest, kSmallest, kNonZeros };
constexpr int kFolds = 5;

template <typename T>
struct ReductionsOf {
  // `count` elements of one vector, the first of which belongs to lane 0.
  void (*along[kFolds])(const T* x, std::ptrdiff_t count, double* lanes);

  // `width` vectors at once: row i of x, `pitch` elements after the one before, holds element i of
  // each, and goes to row i modulo `cycle` of the lanes, which are `width` apart.
  void (*across[kFolds])(const T* x, std::ptrdiff_t rows, std::ptrdiff_t pitch,
                         std::ptrdiff_t width, std::ptrdiff_t cycle, double* lanes);

  // `count` vectors of at most kLanes elements, `apart` elements from one to the next: what becomes
  // of the lanes when they are combined by halves.
  void (*lines[kFolds])(const T* x, std::ptrdiff_t apart, std::ptrdiff_t length,
                        std::ptrdiff_t count, double* results);

  // |z| of complex numbers, real and imaginary parts in turn, without overflow or underflow on the
  // way. Infinite if a part is, even beside NaN. May work in place.
  void (*moduli)(const T* z, std::ptrdiff_t count, double* result);

  // |z|², which may overflow and underflow.
  void (*squared_moduli)(const T* z, std::ptrdiff_t count, double* result);

  // |x|^p in place, of numbers that came in this precision.
  void (*powers)(double* x, std::ptrdiff_t count, double p);
};

struct Reductions {
  ReductionsOf<float> single;
  ReductionsOf<double> full;

  // x^(1/p) in place, for x >= 0.
  void (*roots)(double* x, std::ptrdiff_t count, double p);
};

}  // namespace numerics::cpu
