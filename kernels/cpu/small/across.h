// LU and Cholesky factorizations of several matrices at once, a matrix in each lane; with a double
// for a pack, of one matrix in registers. Compiled once per instruction set.
//
// Every element sees its updates in the order of the columns, so the bits are those of within.h.
#pragma once

#include "numbers.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {

using Index = std::ptrdiff_t;

// Where the n × n elements live: in the object itself, so in registers, if the size is known; else
// in memory that is handed in.
template <typename E, int size>
struct Elements {
  static constexpr Index n = size;
  E entries[size][size];
  E reciprocals[size];
  E pivot_row[size];
  RealOf<E> exchanged[size];

  E& operator()(Index i, Index j) { return entries[i][j]; }
};

template <typename E>
struct Elements<E, 0> {
  Index n;
  E* entries;
  Index row, column;  // steps
  E* reciprocals;
  E* pivot_row;
  RealOf<E>* exchanged;

  E& operator()(Index i, Index j) { return entries[i * row + j * column]; }
};

// P A = L U with partial pivoting. `is_odd` says of each lane whether the exchanges are. Lanes whose
// pivots are not tame hold no result; the others are returned. Without `keep_l` only U is right.
template <bool keep_l, typename E, int size>
inline MaskOf<E> eliminate(Elements<E, size>& A, MaskOf<E>* is_odd) {
  using V = RealOf<E>;
  const Index n = A.n;
  MaskOf<E> tame = V(0.0) == V(0.0), odd = !tame;
#pragma GCC unroll 4
  for (Index k = 0; k < n; ++k) {
    const Index first = keep_l ? 0 : k;
    V largest = pivot_size(A(k, k)), row = V(static_cast<double>(k));
#pragma GCC unroll 4
    for (Index j = first; j < n; ++j) A.pivot_row[j] = A(k, j);
#pragma GCC unroll 4
    for (Index i = k + 1; i < n; ++i) {
      const V found = pivot_size(A(i, k));
      const MaskOf<E> is_larger = found > largest;
      largest = select(is_larger, found, largest);
      row = select(is_larger, V(static_cast<double>(i)), row);
#pragma GCC unroll 4
      for (Index j = first; j < n; ++j) {
        A.pivot_row[j] = select(is_larger, A(i, j), A.pivot_row[j]);
      }
    }
    const E pivot = A.pivot_row[k], reciprocal = reciprocal_of(pivot);
    tame = tame & is_tame(largest_part(pivot));
    odd = odd ^ (row != V(static_cast<double>(k)));
    A.reciprocals[k] = reciprocal;
    A.exchanged[k] = row;
#pragma GCC unroll 4
    for (Index i = k + 1; i < n; ++i) {  // row k of before goes where the pivot came from
      const MaskOf<E> here = row == V(static_cast<double>(i));
#pragma GCC unroll 4
      for (Index j = first; j < k; ++j) A(i, j) = select(here, A(k, j), A(i, j));
      const E factor = quotient(select(here, A(k, k), A(i, k)), pivot, reciprocal);
      if (keep_l) A(i, k) = factor;
#pragma GCC unroll 4
      for (Index j = k + 1; j < n; ++j) {
        A(i, j) = minus_product(select(here, A(k, j), A(i, j)), factor, A.pivot_row[j]);
      }
    }
#pragma GCC unroll 4
    for (Index j = first; j < n; ++j) A(k, j) = A.pivot_row[j];
  }
  *is_odd = odd;
  return tame;
}

// Row exchanges of a column, whose elements may be of any type that lanes can be selected of; or,
// backwards, their undoing.
template <bool forward = true, typename E, int size, typename X>
inline void exchange(const Elements<E, size>& A, X* x) {
  using V = RealOf<E>;
#pragma GCC unroll 4
  for (Index step = 0; step < A.n; ++step) {
    const Index k = forward ? step : A.n - 1 - step;
    const X before = x[k];
    X picked = before;
#pragma GCC unroll 4
    for (Index i = k + 1; i < A.n; ++i) {
      const MaskOf<E> here = A.exchanged[k] == V(static_cast<double>(i));
      picked = select(here, x[i], picked);
      x[i] = select(here, before, x[i]);
    }
    x[k] = picked;
  }
}

// What rows are divided by, where it is not 1. Those whose divisors are not tame are taken out.
template <typename E, int size>
inline MaskOf<E> find_reciprocals(Elements<E, size>& A) {
  MaskOf<E> tame = RealOf<E>(0.0) == RealOf<E>(0.0);
#pragma GCC unroll 4
  for (Index i = 0; i < A.n; ++i) {
    tame = tame & is_tame(largest_part(A(i, i)));
    A.reciprocals[i] = reciprocal_of(A(i, i));
  }
  return tame;
}

// L⁻¹ x for `width` columns of x, which stand beside each other. The diagonal is one or is divided
// by.
template <int width, bool unit_diagonal, typename E, int size>
inline void substitute_forward(Elements<E, size>& A, E* x) {
#pragma GCC unroll 4
  for (Index i = unit_diagonal ? 1 : 0; i < A.n; ++i) {
    E sums[width];
    for (int w = 0; w < width; ++w) sums[w] = x[i * width + w];
#pragma GCC unroll 4
    for (Index k = 0; k < i; ++k) {
      for (int w = 0; w < width; ++w) sums[w] = minus_product(sums[w], A(i, k), x[k * width + w]);
    }
    for (int w = 0; w < width; ++w) {
      x[i * width + w] = unit_diagonal ? sums[w] : quotient(sums[w], A(i, i), A.reciprocals[i]);
    }
  }
}

// U⁻¹ x.
template <int width, bool unit_diagonal, typename E, int size>
inline void substitute_back(Elements<E, size>& A, E* x) {
#pragma GCC unroll 4
  for (Index i = A.n - (unit_diagonal ? 2 : 1); i >= 0; --i) {
    E sums[width];
    for (int w = 0; w < width; ++w) sums[w] = x[i * width + w];
#pragma GCC unroll 4
    for (Index k = A.n - 1; k > i; --k) {
      for (int w = 0; w < width; ++w) sums[w] = minus_product(sums[w], A(i, k), x[k * width + w]);
    }
    for (int w = 0; w < width; ++w) {
      x[i * width + w] = unit_diagonal ? sums[w] : quotient(sums[w], A(i, i), A.reciprocals[i]);
    }
  }
}

// ± the product of the pivots. Lanes in which that leaves the middle of the range of numbers are
// taken out of `tame`.
template <typename E, int size>
inline E pivot_product(Elements<E, size>& A, MaskOf<E> is_odd, MaskOf<E>* tame) {
  E result = A(0, 0);
#pragma GCC unroll 4
  for (Index k = 1; k < A.n; ++k) {
    result = product(result, A(k, k));
    *tame = *tame & is_tame(largest_part(result));
  }
  return select(is_odd, negative(result), result);
}

// Column j of L, from row `begin` on, in as many steps of `width` rows as there are; returns the row
// behind them.
template <int width, typename E, int size>
inline Index definite_column(Elements<E, size>& A, Index j, Index begin, RealOf<E> root,
                             RealOf<E> reciprocal) {
  Index i = begin;
#pragma GCC unroll 4
  for (; i + width <= A.n; i += width) {
    E sums[width];
    for (int w = 0; w < width; ++w) sums[w] = A(i + w, j);
    for (Index k = 0; k < j; ++k) {
      const E factor = conjugate(A(j, k));
      for (int w = 0; w < width; ++w) sums[w] = minus_product(sums[w], A(i + w, k), factor);
    }
    for (int w = 0; w < width; ++w) A(i + w, j) = quotient_by_real(sums[w], root, reciprocal);
  }
  return i;
}

// A = L Lᴴ from the lower triangle. Lanes whose pivots are not tame, let alone positive, hold no
// result; the others are returned.
template <typename E, int size>
inline MaskOf<E> factor_definite(Elements<E, size>& A) {
  using V = RealOf<E>;
  MaskOf<E> tame = V(0.0) == V(0.0);
#pragma GCC unroll 4
  for (Index j = 0; j < A.n; ++j) {
    E rest = A(j, j);
#pragma GCC unroll 4
    for (Index k = 0; k < j; ++k) rest = minus_product(rest, A(j, k), conjugate(A(j, k)));
    const V pivot = real_part(rest);
    tame = tame & is_tame(pivot);
    const V root = sqrt(pivot), reciprocal = reciprocal_of(root);
    A(j, j) = from_real<E>(root);
    const Index row = size > 0 ? j + 1 : definite_column<4>(A, j, j + 1, root, reciprocal);
    definite_column<1>(A, j, row, root, reciprocal);
  }
  return tame;
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
