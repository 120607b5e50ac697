// The solve family with a matrix in each lane. Compiled once per instruction set.
#pragma once

#include <type_traits>

#include "across.h"
#include "operands.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {

template <typename E, int size>
void set_up(Elements<E, size>& A, Input<E, size * size>& a, Index n, E** free) {
  if constexpr (size > 0) {
#pragma GCC unroll 4
    for (Index i = 0; i < size; ++i) {
#pragma GCC unroll 4
      for (Index j = 0; j < size; ++j) A(i, j) = a(i, j);
    }
  } else {
    A.n = n;
    A.entries = a.entries();
    A.row = a.row;
    A.column = a.column;
    A.reciprocals = *free;
    A.pivot_row = *free + n;
    A.exchanged = reinterpret_cast<RealOf<E>*>(*free + 2 * n);
    *free += 3 * n;
  }
}

template <typename E>
E* scratch(const SmallJob& job) {
  return reinterpret_cast<E*>(job.scratch);
}

// What is done with the matrix, or the group of matrices, of a job that begins at `first`: the lanes
// that were tame are returned. `size` rows, or any number of them if it is 0.
template <typename E, int size>
struct Lanes {
  using V = RealOf<E>;
  static constexpr int kSquare = size * size;
  // Columns solved for at a time: what does not stay in registers is loaded once for all of them.
  static constexpr int kWidth = size > 0 ? 1 : 4;

  static Index rows(const SmallJob& job) { return size > 0 ? size : job.n; }

  struct Loaded : Elements<E, size> {
    Loaded(const SmallOperand& a, const SmallJob& job, int first, E** free) {
      Input<E, kSquare> entries(a, first, rows(job), rows(job), free);
      set_up(*this, entries, rows(job), free);
    }
  };

  static MaskOf<E> solve(SmallJob& job, int first) {
    if (size > 0 && job.k == 1) return solve_for<size>(job, first);
    return solve_for<0>(job, first);
  }

  static MaskOf<E> lu_solve(SmallJob& job, int first) {
    E* free = scratch<E>(job);
    SmallOperand a = job.inputs[0];
    if (job.trans != 'N') std::swap(a.row, a.column);
    Loaded A(a, job, first, &free);
    if (job.trans == 'C') conjugate_all(A);
    MaskOf<E> tame = find_reciprocals(A) & load_pivots(A, job, first);
    for_each_column<0>(job, job.inputs[2], first, &tame, free, [&](E* x, auto width) {
      if (job.trans == 'N') {
        for (int w = 0; w < width.value; ++w) exchange_column<true>(A, x + w, width);
        substitute_forward<width.value, true>(A, x);
        substitute_back<width.value, false>(A, x);
      } else {
        substitute_forward<width.value, false>(A, x);
        substitute_back<width.value, true>(A, x);
        for (int w = 0; w < width.value; ++w) exchange_column<false>(A, x + w, width);
      }
    });
    return tame;
  }

  // With L the factor, or Uᴴ.
  static MaskOf<E> cholesky_solve(SmallJob& job, int first) {
    E* free = scratch<E>(job);
    SmallOperand adjoint = job.inputs[0];
    std::swap(adjoint.row, adjoint.column);
    Loaded A(job.upper ? adjoint : job.inputs[0], job, first, &free);
    Loaded B(job.upper ? job.inputs[0] : adjoint, job, first, &free);
    conjugate_all(job.upper ? A : B);
    MaskOf<E> tame = find_reciprocals(A) & find_reciprocals(B);
    for_each_column<0>(job, job.inputs[1], first, &tame, free, [&](E* x, auto width) {
      substitute_forward<width.value, false>(A, x);
      substitute_back<width.value, false>(B, x);
    });
    return tame;
  }

  static MaskOf<E> triangular(SmallJob& job, int first) {
    E* free = scratch<E>(job);
    SmallOperand a = job.inputs[0];
    if (job.trans != 'N') std::swap(a.row, a.column);
    Loaded A(a, job, first, &free);
    if (job.trans == 'C') conjugate_all(A);
    const bool is_lower = job.lower == (job.trans == 'N');
    MaskOf<E> tame = V(0.0) == V(0.0);
    if (!job.unit_diagonal) tame = find_reciprocals(A);
    for_each_column<0>(job, job.inputs[1], first, &tame, free, [&](E* x, auto width) {
      if (is_lower && job.unit_diagonal) substitute_forward<width.value, true>(A, x);
      if (is_lower && !job.unit_diagonal) substitute_forward<width.value, false>(A, x);
      if (!is_lower && job.unit_diagonal) substitute_back<width.value, true>(A, x);
      if (!is_lower && !job.unit_diagonal) substitute_back<width.value, false>(A, x);
    });
    return tame;
  }

  static MaskOf<E> inverse(SmallJob& job, int first) {
    const Index n = rows(job);
    E* free = scratch<E>(job);
    Loaded A(job.inputs[0], job, first, &free);
    MaskOf<E> is_odd;
    MaskOf<E> tame = eliminate<true>(A, &is_odd);
    V row[size > 0 ? size : kMostInLanes] = {};
#pragma GCC unroll 4
    for (Index i = 0; i < n; ++i) row[i] = V(static_cast<double>(i));
    exchange(A, row);
    Output<E, kSquare> result(job.outputs[0], first, n, n, &free);
    Storage<E, size * kWidth> x(n * kWidth, &free);
#pragma GCC unroll 4
    for (Index j = 0; j < n; j += kWidth) {
#pragma GCC unroll 4
      for (Index i = 0; i < n; ++i) {
        for (int w = 0; w < kWidth; ++w) {
          const MaskOf<E> is_one = row[i] == V(static_cast<double>(j + w));
          x.data[i * kWidth + w] = from_real<E>(select(is_one, V(1.0), V(0.0)));
        }
      }
      substitute_forward<kWidth, true>(A, x.data);
      substitute_back<kWidth, false>(A, x.data);
      const int wide = n - j < kWidth ? static_cast<int>(n - j) : kWidth;
#pragma GCC unroll 4
      for (Index i = 0; i < n; ++i) {
        for (int w = 0; w < wide; ++w) {
          const E entry = x.data[i * kWidth + w];
          tame = tame & is_number(entry);
          result.set(i, j + w, entry);
        }
      }
    }
    result.store(job, tame);
    return tame;
  }

  static MaskOf<E> determinant(SmallJob& job, int first) {
    E* free = scratch<E>(job);
    E product;
    const MaskOf<E> tame = find_determinant(job, first, &free, &product);
    Output<E, 1> result(job.outputs[0], first, 1, 1, nullptr);
    result.set(0, 0, product);
    result.store(job, tame);
    return tame;
  }

  static MaskOf<E> sign_and_logarithm(SmallJob& job, int first) {
    E* free = scratch<E>(job);
    E product;
    const MaskOf<E> tame = find_determinant(job, first, &free, &product);
    const V magnitude = modulus(product);
    Output<E, 1> sign(job.outputs[0], first, 1, 1, nullptr);
    sign.set(0, 0, quotient_by_real(product, magnitude, reciprocal_of(magnitude)));
    sign.store(job, tame);
    Output<V, 1> logabsdet(job.outputs[1], first, 1, 1, nullptr);
    logabsdet.set(0, 0, logarithm(magnitude));
    logabsdet.store(job, tame);
    return tame;
  }

  // L and U in one matrix, and the row exchanges.
  static MaskOf<E> lu(SmallJob& job, int first) {
    const Index n = rows(job);
    E* free = scratch<E>(job);
    Loaded A(job.inputs[0], job, first, &free);
    MaskOf<E> is_odd;
    const MaskOf<E> tame = eliminate<true>(A, &is_odd);
    Output<E, kSquare> result(job.outputs[0], first, n, n, &free);
#pragma GCC unroll 4
    for (Index i = 0; i < n; ++i) {
#pragma GCC unroll 4
      for (Index j = 0; j < n; ++j) result.set(i, j, A(i, j));
    }
    result.store(job, tame);
#pragma GCC unroll 4
    for (Index i = 0; i < n; ++i) store_integers(A.exchanged[i], job, first, i);
    return tame;
  }

  static MaskOf<E> cholesky(SmallJob& job, int first) {
    return job.upper ? cholesky_of<true>(job, first) : cholesky_of<false>(job, first);
  }

 private:
  template <int b_size>
  static MaskOf<E> solve_for(SmallJob& job, int first) {
    E* free = scratch<E>(job);
    Loaded A(job.inputs[0], job, first, &free);
    MaskOf<E> is_odd;
    MaskOf<E> tame = eliminate<true>(A, &is_odd);
    for_each_column<b_size>(job, job.inputs[1], first, &tame, free, [&](E* x, auto width) {
      for (int w = 0; w < width.value; ++w) exchange_column<true>(A, x + w, width);
      substitute_forward<width.value, true>(A, x);
      substitute_back<width.value, false>(A, x);
    });
    return tame;
  }

  // Lanes with NaN in a solution are taken out of `tame`: which NaN it is depends on the order of
  // operands. Loads the right-hand sides, calls solve(x, width) for `width` columns that stand beside each
  // other, and stores the results.
  template <int b_size, typename Solve>
  static void for_each_column(SmallJob& job, const SmallOperand& from, int first, MaskOf<E>* tame,
                              E* free, Solve solve) {
    const Index n = rows(job), k = b_size > 0 ? 1 : job.k;
    const Input<E, b_size> b(from, first, n, k, &free);
    Output<E, b_size> result(job.outputs[0], first, n, k, &free);
    Storage<E, size * kWidth> x(n * kWidth, &free);
    const auto step = [&](Index j, auto width) {
#pragma GCC unroll 4
      for (Index i = 0; i < n; ++i) {
        for (int w = 0; w < width.value; ++w) x.data[i * width.value + w] = b(i, j + w);
      }
      solve(x.data, width);
#pragma GCC unroll 4
      for (Index i = 0; i < n; ++i) {
        for (int w = 0; w < width.value; ++w) {
          const E solved = x.data[i * width.value + w];
          *tame = *tame & is_number(solved);
          result.set(i, j + w, solved);
        }
      }
    };
    Index j = 0;
    for (; kWidth > 1 && j + kWidth <= k; j += kWidth) {
      step(j, std::integral_constant<int, kWidth>());
    }
    for (; j < k; ++j) step(j, std::integral_constant<int, 1>());
    result.store(job, *tame);
  }

  // Of columns that stand beside each other.
  template <bool forward, int width>
  static void exchange_column(Elements<E, size>& A, E* x, std::integral_constant<int, width>) {
    if constexpr (width == 1) {
      exchange<forward>(A, x);
    } else {
      E column[kMostInLanes];
      for (Index i = 0; i < A.n; ++i) column[i] = x[i * width];
      exchange<forward>(A, column);
      for (Index i = 0; i < A.n; ++i) x[i * width] = column[i];
    }
  }

  static void conjugate_all(Elements<E, size>& A) {
    if (!is_complex<E>) return;
#pragma GCC unroll 4
    for (Index i = 0; i < A.n; ++i) {
#pragma GCC unroll 4
      for (Index j = 0; j < A.n; ++j) A(i, j) = conjugate(A(i, j));
    }
  }

  // The row exchanges that the user hands in. Lanes where they cannot be any are left over.
  static MaskOf<E> load_pivots(Elements<E, size>& A, const SmallJob& job, int first) {
    MaskOf<E> tame = V(0.0) == V(0.0);
#pragma GCC unroll 4
    for (Index i = 0; i < A.n; ++i) {
      load_pivot(job.inputs[1], first, i, &A.exchanged[i]);
      // Row i changes places with one behind it, or else what LAPACK would do is another exchange.
      tame = tame & (A.exchanged[i] >= V(static_cast<double>(i))) &
             (A.exchanged[i] < V(static_cast<double>(A.n)));
    }
    return tame;
  }
  static int pivot_of(const SmallOperand& from, int matrix, Index i) {
    return *reinterpret_cast<const int*>(from.at[matrix] + i * from.row);
  }
  static void load_pivot(const SmallOperand& from, int first, Index i, double* to) {
    *to = pivot_of(from, first, i);
  }
  static void load_pivot(const SmallOperand& from, int first, Index i, Pack* to) {
    for (int lane = 0; lane < kPackLanes; ++lane) to->lanes[lane] = pivot_of(from, first + lane, i);
  }

  // Matrices of integers are not tame here: their determinants are integers, which LU is not sure
  // to find.
  static MaskOf<E> find_determinant(SmallJob& job, int first, E** free, E* result) {
    Loaded A(job.inputs[0], job, first, free);
    const MaskOf<E> integers = has_integers_only(A);
    MaskOf<E> is_odd;
    MaskOf<E> tame = eliminate<false>(A, &is_odd) & !integers;
    *result = pivot_product(A, is_odd, &tame);
    return tame;
  }

  static MaskOf<E> has_integers_only(Elements<E, size>& A) {
    MaskOf<E> result = V(0.0) == V(0.0);
#pragma GCC unroll 4
    for (Index i = 0; i < A.n; ++i) {
#pragma GCC unroll 4
      for (Index j = 0; j < A.n; ++j) {
        result = result & is_integer(A(i, j));
        if (!any(result)) return result;
      }
    }
    return result;
  }

  // Uᵀ obeys the equations of L, for the transpose of A.
  template <bool upper>
  static MaskOf<E> cholesky_of(SmallJob& job, int first) {
    const Index n = rows(job);
    E* free = scratch<E>(job);
    Input<E, kSquare> a(job.inputs[0], first, n, n, &free);
    if (upper) std::swap(a.row, a.column);
    Elements<E, size> A;
    set_up(A, a, n, &free);
    const MaskOf<E> tame = factor_definite(A);
    Output<E, kSquare> result(job.outputs[0], first, n, n, &free);
    const E zero = from_real<E>(V(0.0));
#pragma GCC unroll 4
    for (Index i = 0; i < n; ++i) {
#pragma GCC unroll 4
      for (Index j = 0; j < n; ++j) {
        result.set(upper ? j : i, upper ? i : j, j <= i ? A(i, j) : zero);
      }
    }
    result.store(job, tame);
    return tame;
  }

  static void store_integers(double x, SmallJob& job, int first, Index i) {
    store_integer(x, job.outputs[1], first, i);
  }
  static void store_integers(const Pack& x, SmallJob& job, int first, Index i) {
    for (int lane = 0; lane < kPackLanes && first + lane < job.count; ++lane) {
      store_integer(x.lanes[lane], job.outputs[1], first + lane, i);
    }
  }
  static void store_integer(double x, const SmallOperand& to, int matrix, Index i) {
    *reinterpret_cast<int*>(to.at[matrix] + i * to.row) = static_cast<int>(x);
  }
};

// All matrices of a job, one by one or by the pack.
template <typename Work>
std::uint64_t one_by_one(SmallJob& job, Work work) {
  std::uint64_t left = 0;
  for (int i = 0; i < job.count; ++i) left |= std::uint64_t{!work(job, i)} << i;
  return left;
}

// Memory of the results of the pack of matrices that begins at `first`, on its way before it is
// written: more of them are written side by side than the processor foresees.
inline void prefetch_results(const SmallJob& job, int first) {
  constexpr Index kLine = 64, kMost = 8 * kLine * kPackLanes;
  const SmallOperand& results = job.outputs[0];
  const Index bytes = job.n * results.row;
  if (first >= job.count || bytes > kMost) return;
  for (int lane = 0; lane < kPackLanes; ++lane) {
    for (Index offset = 0; offset < bytes; offset += kLine) {
      __builtin_prefetch(results.at[first + lane] + offset, 1);
    }
  }
}

template <typename Work>
std::uint64_t by_packs(SmallJob& job, Work work) {
  std::uint64_t left = 0;
  for (int i = 0; i < job.count; i += kPackLanes) {
    if (job.n > 4) prefetch_results(job, i + kPackLanes);
    left |= std::uint64_t{to_bits(!work(job, i))} << i;
  }
  return job.count == 64 ? left : left & ((std::uint64_t{1} << job.count) - 1);
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
