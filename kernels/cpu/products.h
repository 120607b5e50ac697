// The loops that products are made of, one table per instruction set. Strides count real numbers; a
// complex number is two of them that lie side by side.
#pragma once

#include <cstddef>

namespace numerics::cpu {

enum Conjugates { kNone, kFirst };

// Products C = A B along one axis of a stack, with A of m × n and B of n × k.
template <typename T>
struct ProductStack {
  std::ptrdiff_t m, n, k;
  const T* a;
  std::ptrdiff_t a_row, a_column, a_next;
  const T* b;  // rows lie side by side, as those of C do
  std::ptrdiff_t b_row, b_next;
  T* c;
  std::ptrdiff_t c_row, c_next;
  std::ptrdiff_t count;
};

// Inner products of vectors of n numbers along one axis of a stack.
template <typename T>
struct VectorStack {
  std::ptrdiff_t n;
  const T* x;
  std::ptrdiff_t x_next;
  const T* y;
  std::ptrdiff_t y_next;
  T* result;
  std::ptrdiff_t result_next;
  std::ptrdiff_t count;
};

template <typename T>
struct ProductLoops {
  // Of real [0] or of complex numbers [1]. Every sum runs over ascending n from zero, by itself, with
  // fused products where the instruction set has them, so that its bits depend on nothing but the
  // row and the column.
  void (*matrices[2])(ProductStack<T> stack);

  // Σ x y of vectors whose numbers lie side by side.
  void (*real)(VectorStack<T> stack);
  void (*complex[2])(VectorStack<T> stack);  // by Conjugates
};

struct Products {
  ProductLoops<float> single;
  ProductLoops<double> full;
};

}  // namespace numerics::cpu
