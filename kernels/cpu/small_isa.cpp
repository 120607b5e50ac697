// Compiled once per instruction set, each time with another NUMERICS_ISA_NAMESPACE.
#include <algorithm>
#include <cmath>
#include <limits>

#include "small/across.h"
#include "small/lanes.h"
#include "small/small.h"
#include "small/within.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {
namespace {

constexpr Index kAcross = 16;   // rows up to which lanes are matrices; beyond, they are rows
constexpr Index kColumns = 32;  // right-hand sides at a time where lanes are rows

template <typename E>
constexpr bool is_complex = Element<E>::kParts == 2;

template <typename E>
constexpr Index size_of_stored(char type) {
  return (type == 'f' || type == 'F' ? Index{sizeof(float)} : Index{sizeof(double)}) *
         Element<E>::kParts;
}

inline bool is_single(char type) { return type == 'f' || type == 'F'; }

// ---- One number ---------------------------------------------------------------------------------

template <typename S>
S load_one(const char* at, char type) {
  if constexpr (is_complex<S>) {
    if (is_single(type)) {
      const float* z = reinterpret_cast<const float*>(at);
      return {z[0], z[1]};
    }
    const double* z = reinterpret_cast<const double*>(at);
    return {z[0], z[1]};
  } else {
    return is_single(type) ? *reinterpret_cast<const float*>(at)
                           : *reinterpret_cast<const double*>(at);
  }
}

inline void store_part(double x, char* at, char type, int part, bool* overflows) {
  if (!is_single(type)) {
    reinterpret_cast<double*>(at)[part] = x;
    return;
  }
  const float rounded = static_cast<float>(x);
  *overflows |= std::isinf(rounded) && !std::isinf(x);
  reinterpret_cast<float*>(at)[part] = rounded;
}
inline void store_one(double x, char* at, char type, bool* overflows) {
  store_part(x, at, type, 0, overflows);
}
inline void store_one(Complex<double> z, char* at, char type, bool* overflows) {
  store_part(z.re, at, type, 0, overflows);
  store_part(z.im, at, type, 1, overflows);
}

// ---- Operands: entry (i, j) of every lane -------------------------------------------------------

// Memory for elements: in the object itself, so in registers, if their number is known to the
// compiler; else scratch memory, from which `free` is moved on.
template <typename E, int size>
struct Storage {
  Storage(Index, E**) {}
  E data[size];
};
template <typename E>
struct Storage<E, 0> {
  Storage(Index count, E** free) : data(*free) { *free += count; }
  E* data;
};

template <typename S>
constexpr bool is_one_lane = std::is_same_v<RealOf<S>, double>;

// rows × columns entries, `size` if that is known, of the matrices `first` and following.
template <typename E, int size, bool = is_one_lane<E>>
class Input : Storage<E, size> {
 public:
  Input(const SmallOperand& from, int first, Index rows, Index columns, E** free)
      : Storage<E, size>(rows * columns, free) {
    if (is_single(from.type)) {
      load<float>(from, first, rows, columns);
    } else {
      load<double>(from, first, rows, columns);
    }
  }

  const E& operator()(Index i, Index j) const { return this->data[i * row + j * column]; }
  E* entries() { return this->data; }

  Index row, column;  // steps

 private:
  template <typename Stored>
  void load(const SmallOperand& from, int first, Index rows, Index columns) {
    constexpr int kParts = Element<E>::kParts;
    constexpr Index kSize = kParts * Index{sizeof(Stored)};
    const bool by_rows =
        (from.column == kSize || columns == 1) && (from.row == columns * kSize || rows == 1);
    const bool by_columns = !by_rows && from.row == kSize && from.column == rows * kSize;
    row = by_columns ? 1 : columns;
    column = by_columns ? rows : 1;
    Pack* packs = reinterpret_cast<Pack*>(this->data);
    const char* const* lanes = from.at + first;
    if (by_rows || by_columns) {
      load_lanes<kParts, Stored>(lanes, rows * columns * kParts, packs, 1);
      return;
    }
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        for (int part = 0; part < kParts; ++part) {
          packs[(i * columns + j) * kParts + part] =
              gather<Stored>(lanes, i * from.row + j * from.column + part * Index{sizeof(Stored)});
        }
      }
    }
  }
};

// One matrix: its entries are where they are.
template <typename S, int size>
class Input<S, size, true> {
 public:
  Input(const SmallOperand& from, int first, Index, Index, S**)
      : row(from.row), column(from.column), at_(from.at[first]), type_(from.type) {}
  S operator()(Index i, Index j) const { return load_one<S>(at_ + i * row + j * column, type_); }

  Index row, column;  // steps

 private:
  const char* at_;
  char type_;
};

template <typename E, int size, bool = is_one_lane<E>>
class Output : Storage<E, size> {
 public:
  Output(const SmallOperand& to, int first, Index rows, Index columns, E** free)
      : Storage<E, size>(rows * columns, free),
        to_(to),
        first_(first),
        size_(rows * columns),
        columns_(columns) {}

  void set(Index i, Index j, E x) { this->data[i * columns_ + j] = x; }

  void store(SmallJob& job, PackMask used) {
    constexpr int kParts = Element<E>::kParts;
    const Pack* packs = reinterpret_cast<const Pack*>(this->data);
    const int lanes = std::min(job.count - first_, kPackLanes);
    const Index count = size_ * kParts;
    char* const* at = to_.at + first_;
    if (is_single(to_.type)) {
      job.overflows_in_cast |= any(used & store_lanes<kParts, float>(packs, 1, count, at, lanes));
    } else if (count == 1 && lanes == kPackLanes) {
      packs[0].store(reinterpret_cast<double*>(at[0]));
    } else {
      store_lanes<kParts, double>(packs, 1, count, at, lanes);
    }
  }

 private:
  const SmallOperand& to_;
  int first_;
  Index size_, columns_;
};

template <typename S, int size>
class Output<S, size, true> {
 public:
  Output(const SmallOperand& to, int first, Index, Index, S**) : to_(to), first_(first) {}
  void set(Index i, Index j, S x) {
    store_one(x, to_.at[first_] + i * to_.row + j * to_.column, to_.type, &overflows_);
  }
  void store(SmallJob& job, bool used) { job.overflows_in_cast |= overflows_ && used; }

 private:
  const SmallOperand& to_;
  int first_;
  bool overflows_ = false;
};

// ---- Lanes are matrices -------------------------------------------------------------------------

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
    for_each_column<0>(job, job.inputs[2], first, tame, free, [&](E* x, auto width) {
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
    const MaskOf<E> tame = find_reciprocals(A) & find_reciprocals(B);
    for_each_column<0>(job, job.inputs[1], first, tame, free, [&](E* x, auto width) {
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
    for_each_column<0>(job, job.inputs[1], first, tame, free, [&](E* x, auto width) {
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
    const MaskOf<E> tame = eliminate<true>(A, &is_odd);
    V row[size > 0 ? size : kAcross] = {};
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
        for (int w = 0; w < wide; ++w) result.set(i, j + w, x.data[i * kWidth + w]);
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
    const MaskOf<E> tame = eliminate<true>(A, &is_odd);
    for_each_column<b_size>(job, job.inputs[1], first, tame, free, [&](E* x, auto width) {
      for (int w = 0; w < width.value; ++w) exchange_column<true>(A, x + w, width);
      substitute_forward<width.value, true>(A, x);
      substitute_back<width.value, false>(A, x);
    });
    return tame;
  }

  // Loads the right-hand sides, calls solve(x, width) for `width` columns that stand beside each
  // other, and stores the results.
  template <int b_size, typename Solve>
  static void for_each_column(SmallJob& job, const SmallOperand& from, int first, MaskOf<E> tame,
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
        for (int w = 0; w < width.value; ++w) result.set(i, j + w, x.data[i * width.value + w]);
      }
    };
    Index j = 0;
    for (; kWidth > 1 && j + kWidth <= k; j += kWidth) {
      step(j, std::integral_constant<int, kWidth>());
    }
    for (; j < k; ++j) step(j, std::integral_constant<int, 1>());
    result.store(job, tame);
  }

  // Of columns that stand beside each other.
  template <bool forward, int width>
  static void exchange_column(Elements<E, size>& A, E* x, std::integral_constant<int, width>) {
    if constexpr (width == 1) {
      exchange<forward>(A, x);
    } else {
      E column[kAcross];
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

// ---- Lanes are rows -----------------------------------------------------------------------------

inline Index chunks_of(Index n) { return (n + kPackLanes - 1) / kPackLanes; }

// Packs from column to column: an odd number of cache lines, or columns would share few places of
// the cache.
inline Index leading_of(Index n) { return n > 4 * kPackLanes ? chunks_of(n) | 1 : chunks_of(n); }

// `columns` columns of n rows, row i of which is row rows[i] of the operand (or row i).
template <typename E, typename Stored>
void load_rows_of(const SmallOperand& from, int matrix, Index n, const Index* rows, Index begin,
                  Index columns, const Columns<E>& to) {
  constexpr int kParts = Element<E>::kParts;
  constexpr Index kSize = kParts * Index{sizeof(Stored)};
  const char* first = from.at[matrix] + begin * from.column;
  for (Index chunk = 0; chunk < to.chunks(); ++chunk) {
    const char* lanes[kPackLanes];
    for (Index lane = 0; lane < kPackLanes; ++lane) {
      const Index i = std::min(chunk * kPackLanes + lane, n - 1);
      lanes[lane] = first + (rows == nullptr ? i : rows[i]) * from.row;
    }
    Pack* packs = reinterpret_cast<Pack*>(&to(chunk, 0));
    const Index step = to.leading();
    if (from.column == kSize || columns == 1) {
      load_lanes<kParts, Stored>(lanes, columns * kParts, packs, step);
    } else {
      for (Index j = 0; j < columns; ++j) {
        for (int part = 0; part < kParts; ++part) {
          packs[j * step * kParts + part] =
              gather<Stored>(lanes, j * from.column + part * Index{sizeof(Stored)});
        }
      }
    }
  }
  const Index used = n - (to.chunks() - 1) * kPackLanes;
  if (used == kPackLanes) return;
  const PackMask inside = lanes_below(used);
  const E zero = from_real<E>(Pack(0.0));
  for (Index j = 0; j < columns; ++j) {
    E& last = to(to.chunks() - 1, j);
    last = select(inside, last, zero);
  }
}

template <typename E>
void load_rows(const SmallOperand& from, int matrix, Index n, const Index* rows, Index begin,
               Index columns, const Columns<E>& to) {
  if (is_single(from.type)) {
    load_rows_of<E, float>(from, matrix, n, rows, begin, columns, to);
  } else {
    load_rows_of<E, double>(from, matrix, n, rows, begin, columns, to);
  }
}

// Columns `begin` to `begin + columns` of a result, of which row i is stored as row rows[i] (or i).
template <typename E>
void store_rows(const Columns<E>& from, Index n, const Index* rows, Index begin, Index columns,
                const SmallOperand& to, int matrix, SmallJob& job) {
  constexpr int kParts = Element<E>::kParts;
  for (Index chunk = 0; chunk < from.chunks(); ++chunk) {
    char* lanes[kPackLanes];
    const Index used = std::min(n - chunk * kPackLanes, Index{kPackLanes});
    for (Index lane = 0; lane < used; ++lane) {
      const Index i = chunk * kPackLanes + lane;
      lanes[lane] = to.at[matrix] + (rows == nullptr ? i : rows[i]) * to.row + begin * to.column;
    }
    const Pack* packs = reinterpret_cast<const Pack*>(&from(chunk, 0));
    const Index size = columns * kParts;
    if (is_single(to.type)) {
      job.overflows_in_cast |= any(
          store_lanes<kParts, float>(packs, from.leading(), size, lanes, static_cast<int>(used)));
    } else {
      store_lanes<kParts, double>(packs, from.leading(), size, lanes, static_cast<int>(used));
    }
  }
}

inline double times_power_of_two(double x, int exponent) { return std::ldexp(x, exponent); }
inline Complex<double> times_power_of_two(Complex<double> z, int exponent) {
  return {std::ldexp(z.re, exponent), std::ldexp(z.im, exponent)};
}

template <typename E>
struct Rows {
  using S = ScalarOf<E>;

  explicit Rows(SmallJob& job)
      : n(job.n),
        chunks(chunks_of(n)),
        A(scratch<E>(job), chunks, leading_of(n)),
        x(&A(0, n), chunks, leading_of(n)),
        second(&x(0, kColumns), chunks, leading_of(n)) {
    double* rest = reinterpret_cast<double*>(&second(0, n));
    rest += 2 * n;  // reciprocals of the second matrix
    reciprocals = reinterpret_cast<S*>(rest);
    exchanged = reinterpret_cast<Index*>(rest + 2 * n);
    rows = exchanged + n;
  }

  bool factor(SmallJob& job, int matrix) {
    load_rows(job.inputs[0], matrix, n, nullptr, 0, n, A);
    if (!eliminate(A, n, exchanged, reciprocals)) return false;
    find_rows();
    return true;
  }

  // Row rows[i] of A is row i of L U.
  void find_rows() {
    for (Index i = 0; i < n; ++i) rows[i] = i;
    for (Index i = 0; i < n; ++i) std::swap(rows[i], rows[exchanged[i]]);
  }

  void solve_and_store(Index begin, Index columns, SmallJob& job, int matrix) {
    substitute_forward<true>(A, n, nullptr, x, columns);
    substitute_back<false>(A, n, reciprocals, x, columns);
    store_rows(x, n, nullptr, begin, columns, job.outputs[0], matrix, job);
  }

  // What rows of B are divided by. False if a divisor is not tame.
  bool find_reciprocals(const Columns<E>& B, S* to) const {
    bool tame = true;
    for (Index i = 0; i < n; ++i) {
      tame = tame && is_tame(largest_part(B.at(i, i)));
      to[i] = reciprocal_of(B.at(i, i));
    }
    return tame;
  }

  void conjugate_all(const Columns<E>& B) const {
    if (!is_complex<E>) return;
    for (Index j = 0; j < n; ++j) {
      for (Index chunk = 0; chunk < chunks; ++chunk) B(chunk, j) = conjugate(B(chunk, j));
    }
  }

  // Loads right-hand sides, row load[i] as row i, calls solve(columns) for some of them at a time,
  // and stores row i as row store[i].
  template <typename Solve>
  void for_each_column(SmallJob& job, const SmallOperand& b, int matrix, const Index* load,
                       const Index* store, Solve solve) {
    for (Index begin = 0; begin < job.k; begin += kColumns) {
      const Index columns = std::min(kColumns, job.k - begin);
      load_rows(b, matrix, n, load, begin, columns, x);
      solve(columns);
      store_rows(x, n, store, begin, columns, job.outputs[0], matrix, job);
    }
  }

  static bool solve(SmallJob& job, int matrix) {
    Rows system(job);
    if (!system.factor(job, matrix)) return false;
    system.for_each_column(job, job.inputs[1], matrix, system.rows, nullptr, [&](Index columns) {
      substitute_forward<true>(system.A, system.n, nullptr, system.x, columns);
      substitute_back<false>(system.A, system.n, system.reciprocals, system.x, columns);
    });
    return true;
  }

  static bool lu_solve(SmallJob& job, int matrix) {
    Rows system(job);
    const Index n = system.n;
    SmallOperand a = job.inputs[0];
    const bool is_plain = job.trans == 'N';
    if (!is_plain) std::swap(a.row, a.column);
    load_rows(a, matrix, n, nullptr, 0, n, system.A);
    if (job.trans == 'C') system.conjugate_all(system.A);
    if (!system.find_reciprocals(system.A, system.reciprocals)) return false;
    const SmallOperand& pivots = job.inputs[1];
    for (Index i = 0; i < n; ++i) {
      system.exchanged[i] = *reinterpret_cast<const int*>(pivots.at[matrix] + i * pivots.row);
      if (system.exchanged[i] < i || system.exchanged[i] >= n) return false;
    }
    system.find_rows();
    system.for_each_column(
        job, job.inputs[2], matrix, is_plain ? system.rows : nullptr,
        is_plain ? nullptr : system.rows, [&](Index columns) {
          if (is_plain) {
            substitute_forward<true>(system.A, n, nullptr, system.x, columns);
            substitute_back<false>(system.A, n, system.reciprocals, system.x, columns);
          } else {
            substitute_forward<false>(system.A, n, system.reciprocals, system.x, columns);
            substitute_back<true>(system.A, n, nullptr, system.x, columns);
          }
        });
    return true;
  }

  static bool cholesky_solve(SmallJob& job, int matrix) {
    Rows system(job);
    const Index n = system.n;
    SmallOperand adjoint = job.inputs[0];
    std::swap(adjoint.row, adjoint.column);
    load_rows(job.upper ? adjoint : job.inputs[0], matrix, n, nullptr, 0, n, system.A);
    if (job.upper) system.conjugate_all(system.A);
    const Columns<E> B = system.second;
    load_rows(job.upper ? job.inputs[0] : adjoint, matrix, n, nullptr, 0, n, B);
    if (!job.upper) system.conjugate_all(B);
    if (!system.find_reciprocals(system.A, system.reciprocals)) return false;
    S* others = reinterpret_cast<S*>(&B(0, n));
    if (!system.find_reciprocals(B, others)) return false;
    system.for_each_column(job, job.inputs[1], matrix, nullptr, nullptr, [&](Index columns) {
      substitute_forward<false>(system.A, n, system.reciprocals, system.x, columns);
      substitute_back<false>(B, n, others, system.x, columns);
    });
    return true;
  }

  static bool triangular(SmallJob& job, int matrix) {
    Rows system(job);
    const Index n = system.n;
    SmallOperand a = job.inputs[0];
    if (job.trans != 'N') std::swap(a.row, a.column);
    load_rows(a, matrix, n, nullptr, 0, n, system.A);
    if (job.trans == 'C') system.conjugate_all(system.A);
    if (!job.unit_diagonal && !system.find_reciprocals(system.A, system.reciprocals)) return false;
    const bool is_lower = job.lower == (job.trans == 'N');
    system.for_each_column(job, job.inputs[1], matrix, nullptr, nullptr, [&](Index columns) {
      const Columns<E>&A = system.A, &x = system.x;
      if (is_lower && job.unit_diagonal) substitute_forward<true>(A, n, nullptr, x, columns);
      if (is_lower && !job.unit_diagonal) {
        substitute_forward<false>(A, n, system.reciprocals, x, columns);
      }
      if (!is_lower && job.unit_diagonal) substitute_back<true>(A, n, nullptr, x, columns);
      if (!is_lower && !job.unit_diagonal) {
        substitute_back<false>(A, n, system.reciprocals, x, columns);
      }
    });
    return true;
  }

  static bool inverse(SmallJob& job, int matrix) {
    Rows system(job);
    if (!system.factor(job, matrix)) return false;
    const E zero = from_real<E>(Pack(0.0));
    const S one = from_real<S>(1.0);
    for (Index begin = 0; begin < job.n; begin += kColumns) {
      const Index columns = std::min(kColumns, job.n - begin);
      for (Index j = 0; j < columns; ++j) {
        std::fill(&system.x(0, j), &system.x(0, j) + system.chunks, zero);
      }
      for (Index i = 0; i < job.n; ++i) {
        const Index j = system.rows[i] - begin;
        if (j >= 0 && j < columns) system.x.set(i, j, one);
      }
      system.solve_and_store(begin, columns, job, matrix);
    }
    return true;
  }

  // The determinant, from U, as result · 2^exponent. False if it is left over.
  bool find_determinant(SmallJob& job, int matrix, S* result, double* exponent) {
    load_rows(job.inputs[0], matrix, n, nullptr, 0, n, A);
    if (has_integers_only() || !eliminate(A, n, exchanged, reciprocals)) return false;
    *result = A.at(0, 0);
    *exponent = 0;
    bool is_odd = exchanged[0] != 0;
    for (Index k = 1; k < n; ++k) {
      *result = product(*result, A.at(k, k));
      is_odd ^= exchanged[k] != k;
      if (is_tame(largest_part(*result))) continue;
      if (n <= kAcross) return false;  // as where lanes are matrices
      const bool is_large = largest_part(*result) > 1;
      *result = product(*result, from_real<S>(is_large ? 0x1p-500 : 0x1p500));
      *exponent += is_large ? 500 : -500;
    }
    if (is_odd) *result = negative(*result);
    return true;
  }

  bool has_integers_only() const {
    for (Index j = 0; j < n; ++j) {
      for (Index chunk = 0; chunk < chunks; ++chunk) {
        if (!all(is_integer(A(chunk, j)))) return false;
      }
    }
    return true;
  }

  static bool determinant(SmallJob& job, int matrix) {
    S result;
    double exponent;
    if (!Rows(job).find_determinant(job, matrix, &result, &exponent)) return false;
    result = times_power_of_two(result, static_cast<int>(exponent));
    const double size = largest_part(result);
    if (!(size >= std::numeric_limits<double>::min() &&
          size <= std::numeric_limits<double>::max())) {
      return false;
    }
    store_one(result, job.outputs[0].at[matrix], job.outputs[0].type, &job.overflows_in_cast);
    return true;
  }

  static bool sign_and_logarithm(SmallJob& job, int matrix) {
    constexpr double kLog2 = 0.693147180559945309417232;
    S result;
    double exponent;
    if (!Rows(job).find_determinant(job, matrix, &result, &exponent)) return false;
    const double magnitude = modulus(result);
    const SmallOperand &sign = job.outputs[0], &logabsdet = job.outputs[1];
    store_one(quotient_by_real(result, magnitude, reciprocal_of(magnitude)), sign.at[matrix],
              sign.type, &job.overflows_in_cast);
    store_one(logarithm(magnitude) + exponent * kLog2, logabsdet.at[matrix], logabsdet.type,
              &job.overflows_in_cast);
    return true;
  }

  static bool lu(SmallJob& job, int matrix) {
    Rows system(job);
    if (!system.factor(job, matrix)) return false;
    store_rows(system.A, system.n, nullptr, 0, system.n, job.outputs[0], matrix, job);
    const SmallOperand& pivots = job.outputs[1];
    for (Index i = 0; i < system.n; ++i) {
      *reinterpret_cast<int*>(pivots.at[matrix] + i * pivots.row) =
          static_cast<int>(system.exchanged[i]);
    }
    return true;
  }

  static bool cholesky(SmallJob& job, int matrix) {
    Rows system(job);
    SmallOperand a = job.inputs[0];
    if (job.upper) std::swap(a.row, a.column);
    const Columns<E>& A = system.A;
    load_rows(a, matrix, job.n, nullptr, 0, job.n, A);
    if (!factor_definite(A, job.n)) return false;
    const E zero = from_real<E>(Pack(0.0));
    for (Index j = 0; j < job.n; ++j) {
      const Index own = j / kPackLanes;
      for (Index chunk = 0; chunk < own; ++chunk) A(chunk, j) = zero;
      A(own, j) = select(lanes_below(j % kPackLanes), zero, A(own, j));
    }
    if (job.upper) {
      store_transposed(A, job, matrix);
    } else {
      store_rows(A, job.n, nullptr, 0, job.n, job.outputs[0], matrix, job);
    }
    return true;
  }

  // Columns of L become rows of U.
  static void store_transposed(const Columns<E>& L, SmallJob& job, int matrix) {
    const SmallOperand& to = job.outputs[0];
    for (Index j = 0; j < job.n; ++j) {
      for (Index i = 0; i < job.n; ++i) {
        store_one(L.at(i, j), to.at[matrix] + j * to.row + i * to.column, to.type,
                  &job.overflows_in_cast);
      }
    }
  }

  const Index n, chunks;
  Columns<E> A, x, second;
  S* reciprocals;
  Index *exchanged, *rows;
};

// ---- The table ----------------------------------------------------------------------------------

constexpr Index kMostRows = 256;

Index scratch_size(Index n, Index k) {
  const Index lanes_are_rows = 2 * leading_of(n) * kPackLanes * (2 * n + kColumns) + 6 * n;
  if (n > kAcross) return lanes_are_rows;
  const Index lanes_are_matrices = 2 * kPackLanes * (2 * n * n + 12 * n + 2 * n * k + 2);
  return std::max(lanes_are_matrices, lanes_are_rows);
}

// Of matrices whose size the compiler knows everything is unrolled and in registers; S is an element
// of one matrix, E a pack of them.
template <MaskOf<double> (*alone)(SmallJob&, int)>
[[gnu::flatten]] std::uint64_t unrolled(SmallJob& job) {
  return !alone(job, 0);
}
template <PackMask (*by_pack)(SmallJob&, int)>
[[gnu::flatten]] std::uint64_t unrolled_packs(SmallJob& job) {
  return by_packs(job, by_pack);
}

#define CHOOSE(function)                                                              \
  template <typename S, typename E, int size>                                         \
  std::uint64_t unrolled_##function(SmallJob& job) {                                  \
    return job.count == 1 ? unrolled<&Lanes<S, size>::function>(job)                  \
                          : unrolled_packs<&Lanes<E, size>::function>(job);           \
  }                                                                                   \
  template <typename S, typename E>                                                   \
  std::uint64_t choose_##function(SmallJob& job) {                                    \
    switch (job.n) {                                                                  \
      case 1: return unrolled_##function<S, E, 1>(job);                               \
      case 2: return unrolled_##function<S, E, 2>(job);                               \
      case 3: return unrolled_##function<S, E, 3>(job);                               \
      case 4: return unrolled_##function<S, E, 4>(job);                               \
    }                                                                                 \
    return job.count == 1 || job.n > kAcross ? one_by_one(job, &Rows<E>::function)    \
                                             : by_packs(job, &Lanes<E, 0>::function); \
  }
#define CHOOSE_ROLLED(function)                                                       \
  template <typename S, typename E>                                                   \
  std::uint64_t choose_##function(SmallJob& job) {                                    \
    return job.count == 1 || job.n > kAcross ? one_by_one(job, &Rows<E>::function)    \
                                             : by_packs(job, &Lanes<E, 0>::function); \
  }

CHOOSE(solve)
CHOOSE(inverse)
CHOOSE(determinant)
CHOOSE(sign_and_logarithm)
CHOOSE(lu)
CHOOSE(cholesky)
CHOOSE_ROLLED(triangular)
CHOOSE_ROLLED(cholesky_solve)
CHOOSE_ROLLED(lu_solve)
#undef CHOOSE
#undef CHOOSE_ROLLED

template <typename S, typename E>
constexpr SmallFamily kFamily = {&choose_solve<S, E>,       &choose_inverse<S, E>,
                                 &choose_determinant<S, E>, &choose_sign_and_logarithm<S, E>,
                                 &choose_lu<S, E>,          &choose_lu_solve<S, E>,
                                 &choose_cholesky<S, E>,    &choose_cholesky_solve<S, E>,
                                 &choose_triangular<S, E>};

constexpr SmallKernels kKernels = {kPackLanes,
                                   4,
                                   kAcross,
                                   kMostRows,
                                   &scratch_size,
                                   kFamily<double, Pack>,
                                   kFamily<Complex<double>, Complex<Pack>>};

}  // namespace

const SmallKernels& small_kernels() { return kKernels; }

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
