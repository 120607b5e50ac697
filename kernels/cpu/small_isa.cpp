// Compiled once per instruction set, each time with another NUMERICS_ISA_NAMESPACE.
#include <algorithm>
#include <cmath>

#include "small/across.h"
#include "small/lanes.h"
#include "small/small.h"
#include "small/within.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {
namespace {

constexpr Index kAcross = 16;      // rows up to which lanes are matrices; beyond, they are rows
constexpr Index kColumns = 32;     // right-hand sides at a time where lanes are rows

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

// `free` is scratch memory, from which an operand takes what it needs.
template <typename E>
class Input;

template <typename E>
class Output;

// One matrix: its entries are where they are.
template <typename S>
class InputInPlace {
 public:
  InputInPlace(const SmallOperand& from, Index, Index, S**) : from_(from) {}
  S operator()(Index i, Index j) const {
    return load_one<S>(from_.at[0] + i * from_.row + j * from_.column, from_.type);
  }

 private:
  const SmallOperand& from_;
};

template <typename S>
class OutputInPlace {
 public:
  OutputInPlace(const SmallOperand& to, Index, Index, S**) : to_(to) {}
  void set(Index i, Index j, S x) {
    store_one(x, to_.at[0] + i * to_.row + j * to_.column, to_.type, &overflows_);
  }
  void store(SmallJob& job, bool used) { job.overflows_in_cast |= overflows_ && used; }

 private:
  const SmallOperand& to_;
  bool overflows_ = false;
};

// A matrix to a lane: they are loaded together.
template <typename E>
class InputInLanes {
 public:
  InputInLanes(const SmallOperand& from, Index rows, Index columns, E** free) : entries(*free) {
    *free += rows * columns;
    if (is_single(from.type)) {
      load<float>(from, rows, columns);
    } else {
      load<double>(from, rows, columns);
    }
  }
  const E& operator()(Index i, Index j) const { return entries[i * row + j * column]; }

  E* entries;
  Index row, column;

 private:
  template <typename Stored>
  void load(const SmallOperand& from, Index rows, Index columns) {
    constexpr int kParts = Element<E>::kParts;
    constexpr Index kSize = kParts * Index{sizeof(Stored)};
    Pack* packs = reinterpret_cast<Pack*>(entries);
    const bool by_rows = (from.column == kSize || columns == 1) &&
                         (from.row == columns * kSize || rows == 1);
    const bool by_columns = from.row == kSize && from.column == rows * kSize;
    row = by_columns && !by_rows ? 1 : columns;
    column = by_columns && !by_rows ? rows : 1;
    if (by_rows || by_columns) {
      load_lanes<kParts, Stored>(from.at, rows * columns * kParts, packs, 1);
      return;
    }
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        for (int part = 0; part < kParts; ++part) {
          packs[(i * columns + j) * kParts + part] = gather<Stored>(
              from.at, i * from.row + j * from.column + part * Index{sizeof(Stored)});
        }
      }
    }
  }
};

// Results lie row by row in each matrix.
template <typename E>
class OutputInLanes {
 public:
  OutputInLanes(const SmallOperand& to, Index rows, Index columns, E** free)
      : to_(to), size_(rows * columns), columns_(columns), entries_(*free) {
    *free += size_;
  }
  void set(Index i, Index j, E x) { entries_[i * columns_ + j] = x; }
  void store(SmallJob& job, PackMask used) {
    constexpr int kParts = Element<E>::kParts;
    const Pack* packs = reinterpret_cast<const Pack*>(entries_);
    if (is_single(to_.type)) {
      const PackMask overflows =
          store_lanes<kParts, float>(packs, 1, size_ * kParts, to_.at, job.count);
      job.overflows_in_cast |= any(overflows & used);
    } else {
      store_lanes<kParts, double>(packs, 1, size_ * kParts, to_.at, job.count);
    }
  }

 private:
  const SmallOperand& to_;
  Index size_, columns_;
  E* entries_;
};

template <> class Input<double> : public InputInPlace<double> { using InputInPlace::InputInPlace; };
template <> class Input<Complex<double>> : public InputInPlace<Complex<double>> { using InputInPlace::InputInPlace; };
template <> class Input<Pack> : public InputInLanes<Pack> { using InputInLanes::InputInLanes; };
template <> class Input<Complex<Pack>> : public InputInLanes<Complex<Pack>> { using InputInLanes::InputInLanes; };
template <> class Output<double> : public OutputInPlace<double> { using OutputInPlace::OutputInPlace; };
template <> class Output<Complex<double>> : public OutputInPlace<Complex<double>> { using OutputInPlace::OutputInPlace; };
template <> class Output<Pack> : public OutputInLanes<Pack> { using OutputInLanes::OutputInLanes; };
template <> class Output<Complex<Pack>> : public OutputInLanes<Complex<Pack>> { using OutputInLanes::OutputInLanes; };

// ---- Lanes are matrices -------------------------------------------------------------------------

template <typename E, int size>
void set_up(Elements<E, size>& A, const Input<E>& a, Index n, E** free) {
  if constexpr (size > 0) {
#pragma GCC unroll 4
    for (Index i = 0; i < size; ++i) {
#pragma GCC unroll 4
      for (Index j = 0; j < size; ++j) A(i, j) = a(i, j);
    }
  } else {
    A.n = n;
    A.entries = a.entries;
    A.row = a.row;
    A.column = a.column;
    A.reciprocals = *free;
    A.pivot_row = *free + n;
    A.exchanged = reinterpret_cast<RealOf<E>*>(*free + 2 * n);
    *free += 3 * n;
  }
}

inline unsigned left_over(bool tame, const SmallJob&) { return !tame; }
inline unsigned left_over(PackMask tame, const SmallJob& job) {
  return ~to_bits(tame) & ((1u << job.count) - 1);
}

template <typename E>
E* scratch(const SmallJob& job) {
  return reinterpret_cast<E*>(job.scratch);
}

// Columns solved for at a time: what does not stay in registers is loaded once for all of them.
template <int size>
constexpr int kWidth = size > 0 ? 1 : 4;

template <typename E, int size>
struct Lanes {
  // Columns of width kWidth, in registers if they are short.
  struct Column {
    explicit Column(Index n, E** free) {
      if constexpr (size == 0) {
        x = *free;
        *free += kWidth<size> * n;
      }
    }
    std::conditional_t<size == 0, E*, E[size ? size : 1]> x;
  };

  static unsigned solve(SmallJob& job) {
    const Index n = size > 0 ? size : job.n;
    E* free = scratch<E>(job);
    Elements<E, size> A;
    set_up(A, Input<E>(job.inputs[0], n, n, &free), n, &free);
    MaskOf<E> is_odd;
    const MaskOf<E> tame = eliminate<true>(A, &is_odd);
    const Input<E> b(job.inputs[1], n, job.k, &free);
    Output<E> result(job.outputs[0], n, job.k, &free);
    Column column(n, &free);
    Index j = 0;
    for (; kWidth<size> > 1 && j + kWidth<size> <= job.k; j += kWidth<size>) {
      solve_columns<kWidth<size>>(A, b, j, column.x, result);
    }
    for (; j < job.k; ++j) solve_columns<1>(A, b, j, column.x, result);
    result.store(job, tame);
    return left_over(tame, job);
  }

  static unsigned inverse(SmallJob& job) {
    using V = RealOf<E>;
    constexpr int kWide = kWidth<size>;
    const Index n = size > 0 ? size : job.n;
    E* free = scratch<E>(job);
    Elements<E, size> A;
    set_up(A, Input<E>(job.inputs[0], n, n, &free), n, &free);
    MaskOf<E> is_odd;
    const MaskOf<E> tame = eliminate<true>(A, &is_odd);
    V rows[size > 0 ? size : kAcross];
#pragma GCC unroll 4
    for (Index i = 0; i < n; ++i) rows[i] = V(static_cast<double>(i));
    exchange(A, rows);
    Output<E> result(job.outputs[0], n, n, &free);
    Column column(n, &free);
#pragma GCC unroll 4
    for (Index j = 0; j < n; j += kWide) {
#pragma GCC unroll 4
      for (Index i = 0; i < n; ++i) {
        for (int w = 0; w < kWide; ++w) {
          const MaskOf<E> is_one = rows[i] == V(static_cast<double>(j + w));
          column.x[i * kWide + w] = from_real<E>(select(is_one, V(1.0), V(0.0)));
        }
      }
      substitute_forward<kWide>(A, column.x);
      substitute_back<kWide>(A, column.x);
      const int wide = n - j < kWide ? static_cast<int>(n - j) : kWide;
#pragma GCC unroll 4
      for (Index i = 0; i < n; ++i) {
        for (int w = 0; w < wide; ++w) result.set(i, j + w, column.x[i * kWide + w]);
      }
    }
    result.store(job, tame);
    return left_over(tame, job);
  }

  static unsigned determinant(SmallJob& job) {
    E* free = scratch<E>(job);
    E product;
    const MaskOf<E> tame = find_determinant(job, &free, &product);
    Output<E> result(job.outputs[0], 1, 1, &free);
    result.set(0, 0, product);
    result.store(job, tame);
    return left_over(tame, job);
  }

  static unsigned sign_and_logarithm(SmallJob& job) {
    using V = RealOf<E>;
    E* free = scratch<E>(job);
    E product;
    const MaskOf<E> tame = find_determinant(job, &free, &product);
    const V magnitude = modulus(product);
    Output<E> sign(job.outputs[0], 1, 1, &free);
    sign.set(0, 0, quotient_by_real(product, magnitude, reciprocal_of(magnitude)));
    sign.store(job, tame);
    V* rest = reinterpret_cast<V*>(free);
    Output<V> logarithm(job.outputs[1], 1, 1, &rest);
    logarithm.set(0, 0, log(magnitude));
    logarithm.store(job, tame);
    return left_over(tame, job);
  }

  // L and U in one matrix, and the row exchanges.
  static unsigned lu(SmallJob& job) {
    const Index n = size > 0 ? size : job.n;
    E* free = scratch<E>(job);
    Elements<E, size> A;
    set_up(A, Input<E>(job.inputs[0], n, n, &free), n, &free);
    MaskOf<E> is_odd;
    const MaskOf<E> tame = eliminate<true>(A, &is_odd);
    Output<E> result(job.outputs[0], n, n, &free);
#pragma GCC unroll 4
    for (Index i = 0; i < n; ++i) {
#pragma GCC unroll 4
      for (Index j = 0; j < n; ++j) result.set(i, j, A(i, j));
    }
    result.store(job, tame);
#pragma GCC unroll 4
    for (Index i = 0; i < n; ++i) store_integers(A.exchanged[i], job, i);
    return left_over(tame, job);
  }

  static unsigned cholesky(SmallJob& job) {
    const Index n = size > 0 ? size : job.n;
    E* free = scratch<E>(job);
    SmallOperand a = job.inputs[0];
    if (job.upper) std::swap(a.row, a.column);  // Uᵀ obeys the equations of L, for the transpose of A
    Elements<E, size> A;
    set_up(A, Input<E>(a, n, n, &free), n, &free);
    const MaskOf<E> tame = factor_definite(A);
    Output<E> result(job.outputs[0], n, n, &free);
#pragma GCC unroll 4
    for (Index i = 0; i < n; ++i) {
#pragma GCC unroll 4
      for (Index j = 0; j < n; ++j) {
        const E x = j <= i ? A(i, j) : from_real<E>(RealOf<E>(0.0));
        if (job.upper) result.set(j, i, x);
        else result.set(i, j, x);
      }
    }
    result.store(job, tame);
    return left_over(tame, job);
  }

 private:
  template <int width>
  static void solve_columns(Elements<E, size>& A, const Input<E>& b, Index j, E* x,
                            Output<E>& result) {
    const Index n = A.n;
    if constexpr (width == 1) {
#pragma GCC unroll 4
      for (Index i = 0; i < n; ++i) x[i] = b(i, j);
      exchange(A, x);
    } else {
      E column[kAcross];
      for (int w = 0; w < width; ++w) {
        for (Index i = 0; i < n; ++i) column[i] = b(i, j + w);
        exchange(A, column);
        for (Index i = 0; i < n; ++i) x[i * width + w] = column[i];
      }
    }
    substitute_forward<width>(A, x);
    substitute_back<width>(A, x);
#pragma GCC unroll 4
    for (Index i = 0; i < n; ++i) {
      for (int w = 0; w < width; ++w) result.set(i, j + w, x[i * width + w]);
    }
  }

  // Matrices of integers are not tame here: their determinants are integers, which LU is not sure
  // to find.
  static MaskOf<E> find_determinant(SmallJob& job, E** free, E* result) {
    const Index n = size > 0 ? size : job.n;
    Elements<E, size> A;
    set_up(A, Input<E>(job.inputs[0], n, n, free), n, free);
    const MaskOf<E> integers = has_integers_only(A);
    MaskOf<E> is_odd;
    MaskOf<E> tame = eliminate<false>(A, &is_odd) & !integers;
    *result = pivot_product(A, is_odd, &tame);
    return tame;
  }

  static MaskOf<E> has_integers_only(Elements<E, size>& A) {
    MaskOf<E> result = RealOf<E>(0.0) == RealOf<E>(0.0);
    for (Index i = 0; i < A.n; ++i) {
      for (Index j = 0; j < A.n; ++j) {
        result = result & is_integer(A(i, j));
        if (!any(result)) return result;
      }
    }
    return result;
  }

  static void store_integers(double x, SmallJob& job, Index i) { store_integer(x, job, 0, i); }
  static void store_integers(const Pack& x, SmallJob& job, Index i) {
    for (int lane = 0; lane < job.count; ++lane) store_integer(x.lanes[lane], job, lane, i);
  }
  static void store_integer(double x, SmallJob& job, int lane, Index i) {
    *reinterpret_cast<int*>(job.outputs[1].at[lane] + i * job.outputs[1].row) = static_cast<int>(x);
  }
};

// ---- Lanes are rows -----------------------------------------------------------------------------

inline Index chunks_of(Index n) { return (n + kPackLanes - 1) / kPackLanes; }

// `columns` columns of n rows, row i of which is row rows[i] of the operand (or row i).
template <typename E, typename Stored>
void load_rows_of(const SmallOperand& from, Index n, const Index* rows, Index begin, Index columns,
                  const Columns<E>& to) {
  constexpr int kParts = Element<E>::kParts;
  constexpr Index kSize = kParts * Index{sizeof(Stored)};
  const char* first = from.at[0] + begin * from.column;
  for (Index chunk = 0; chunk < to.chunks(); ++chunk) {
    const char* lanes[kPackLanes];
    for (Index lane = 0; lane < kPackLanes; ++lane) {
      const Index i = std::min(chunk * kPackLanes + lane, n - 1);
      lanes[lane] = first + (rows == nullptr ? i : rows[i]) * from.row;
    }
    Pack* packs = reinterpret_cast<Pack*>(&to(chunk, 0));
    const Index step = to.chunks();
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
void load_rows(const SmallOperand& from, Index n, const Index* rows, Index begin, Index columns,
               const Columns<E>& to) {
  if (is_single(from.type)) {
    load_rows_of<E, float>(from, n, rows, begin, columns, to);
  } else {
    load_rows_of<E, double>(from, n, rows, begin, columns, to);
  }
}

// Columns `begin` to `begin + columns` of a result whose rows lie side by side.
template <typename E>
void store_rows(const Columns<E>& from, Index n, Index begin, Index columns, const SmallOperand& to,
                SmallJob& job) {
  constexpr int kParts = Element<E>::kParts;
  for (Index chunk = 0; chunk < from.chunks(); ++chunk) {
    char* lanes[kPackLanes];
    const Index used = std::min(n - chunk * kPackLanes, Index{kPackLanes});
    for (Index lane = 0; lane < used; ++lane) {
      lanes[lane] = to.at[0] + (chunk * kPackLanes + lane) * to.row + begin * to.column;
    }
    const Pack* packs = reinterpret_cast<const Pack*>(&from(chunk, 0));
    const Index size = columns * kParts;
    if (is_single(to.type)) {
      job.overflows_in_cast |= any(store_lanes<kParts, float>(packs, from.chunks(), size, lanes,
                                                              static_cast<int>(used)));
    } else {
      store_lanes<kParts, double>(packs, from.chunks(), size, lanes, static_cast<int>(used));
    }
  }
}

template <typename E>
struct Rows {
  using S = ScalarOf<E>;

  explicit Rows(SmallJob& job)
      : n(job.n), chunks(chunks_of(n)), A(scratch<E>(job), chunks), x(&A(0, n), chunks) {
    double* rest = reinterpret_cast<double*>(&x(0, kColumns));
    reciprocals = reinterpret_cast<S*>(rest);
    exchanged = reinterpret_cast<Index*>(rest + 2 * n);
    rows = exchanged + n;
  }

  bool factor(SmallJob& job) {
    load_rows(job.inputs[0], n, nullptr, 0, n, A);
    if (!eliminate(A, n, exchanged, reciprocals)) return false;
    for (Index i = 0; i < n; ++i) rows[i] = i;
    for (Index i = 0; i < n; ++i) std::swap(rows[i], rows[exchanged[i]]);
    return true;
  }

  void solve_and_store(Index begin, Index columns, SmallJob& job) {
    substitute_forward(A, n, x, columns);
    substitute_back(A, n, reciprocals, x, columns);
    store_rows(x, n, begin, columns, job.outputs[0], job);
  }

  static unsigned solve(SmallJob& job) {
    Rows system(job);
    if (!system.factor(job)) return 1;
    for (Index begin = 0; begin < job.k; begin += kColumns) {
      const Index columns = std::min(kColumns, job.k - begin);
      load_rows(job.inputs[1], system.n, system.rows, begin, columns, system.x);
      system.solve_and_store(begin, columns, job);
    }
    return 0;
  }

  static unsigned inverse(SmallJob& job) {
    Rows system(job);
    if (!system.factor(job)) return 1;
    const E zero = from_real<E>(Pack(0.0));
    const S one = from_real<S>(1.0);
    for (Index begin = 0; begin < job.n; begin += kColumns) {
      const Index columns = std::min(kColumns, job.n - begin);
      std::fill(&system.x(0, 0), &system.x(0, columns), zero);
      for (Index i = 0; i < job.n; ++i) {
        const Index j = system.rows[i] - begin;
        if (j >= 0 && j < columns) system.x.set(i, j, one);
      }
      system.solve_and_store(begin, columns, job);
    }
    return 0;
  }

  // The determinant, from U. False if it is left over.
  bool find_determinant(SmallJob& job, S* result) {
    load_rows(job.inputs[0], n, nullptr, 0, n, A);
    if (has_integers_only() || !eliminate(A, n, exchanged, reciprocals)) return false;
    *result = A.at(0, 0);
    bool is_odd = exchanged[0] != 0, tame = true;
    for (Index k = 1; k < n; ++k) {
      *result = product(*result, A.at(k, k));
      tame = tame && is_tame(largest_part(*result));
      is_odd ^= exchanged[k] != k;
    }
    if (is_odd) *result = negative(*result);
    return tame;
  }

  bool has_integers_only() const {
    for (Index j = 0; j < n; ++j) {
      for (Index chunk = 0; chunk < chunks; ++chunk) {
        if (!all(is_integer(A(chunk, j)))) return false;
      }
    }
    return true;
  }

  static unsigned determinant(SmallJob& job) {
    S result;
    if (!Rows(job).find_determinant(job, &result)) return 1;
    store_one(result, job.outputs[0].at[0], job.outputs[0].type, &job.overflows_in_cast);
    return 0;
  }

  static unsigned sign_and_logarithm(SmallJob& job) {
    S result;
    if (!Rows(job).find_determinant(job, &result)) return 1;
    const double magnitude = modulus(result);
    const SmallOperand &sign = job.outputs[0], &logarithm = job.outputs[1];
    store_one(quotient_by_real(result, magnitude, reciprocal_of(magnitude)), sign.at[0], sign.type,
              &job.overflows_in_cast);
    store_one(log(magnitude), logarithm.at[0], logarithm.type, &job.overflows_in_cast);
    return 0;
  }

  static unsigned lu(SmallJob& job) {
    Rows system(job);
    if (!system.factor(job)) return 1;
    store_rows(system.A, system.n, 0, system.n, job.outputs[0], job);
    const SmallOperand& pivots = job.outputs[1];
    for (Index i = 0; i < system.n; ++i) {
      *reinterpret_cast<int*>(pivots.at[0] + i * pivots.row) = static_cast<int>(system.exchanged[i]);
    }
    return 0;
  }

  static unsigned cholesky(SmallJob& job) {
    Rows system(job);
    SmallOperand a = job.inputs[0];
    if (job.upper) std::swap(a.row, a.column);
    const Columns<E>& A = system.A;
    load_rows(a, job.n, nullptr, 0, job.n, A);
    if (!factor_definite(A, job.n)) return 1;
    const E zero = from_real<E>(Pack(0.0));
    for (Index j = 0; j < job.n; ++j) {
      const Index own = j / kPackLanes;
      for (Index chunk = 0; chunk < own; ++chunk) A(chunk, j) = zero;
      A(own, j) = select(lanes_below(j % kPackLanes), zero, A(own, j));
    }
    if (job.upper) {
      store_transposed(A, job);
    } else {
      store_rows(A, job.n, 0, job.n, job.outputs[0], job);
    }
    return 0;
  }

  // Columns of L become rows of U.
  static void store_transposed(const Columns<E>& L, SmallJob& job) {
    const SmallOperand& to = job.outputs[0];
    for (Index j = 0; j < job.n; ++j) {
      for (Index i = 0; i < job.n; ++i) {
        store_one(L.at(i, j), to.at[0] + j * to.row + i * to.column, to.type,
                  &job.overflows_in_cast);
      }
    }
  }

  const Index n, chunks;
  Columns<E> A, x;
  S* reciprocals;
  Index *exchanged, *rows;
};

// ---- The table ----------------------------------------------------------------------------------

constexpr Index kMostRows = 256;

Index scratch_size(Index n, Index k) {
  const Index lanes_are_rows = 2 * chunks_of(n) * kPackLanes * (n + kColumns) + 4 * n;
  if (n > kAcross) return lanes_are_rows;
  const Index lanes_are_matrices = 2 * kPackLanes * (2 * n * n + 8 * n + 2 * n * k + 2);
  return std::max(lanes_are_matrices, lanes_are_rows);
}

// E of one lane and of a pack of them.
#define CHOOSE(function)                                                               \
  template <typename S, typename E>                                                    \
  unsigned choose_##function(SmallJob& job) {                                          \
    const bool alone = job.count == 1;                                                 \
    switch (job.n) {                                                                   \
      case 1: return alone ? Lanes<S, 1>::function(job) : Lanes<E, 1>::function(job);  \
      case 2: return alone ? Lanes<S, 2>::function(job) : Lanes<E, 2>::function(job);  \
      case 3: return alone ? Lanes<S, 3>::function(job) : Lanes<E, 3>::function(job);  \
      case 4: return alone ? Lanes<S, 4>::function(job) : Lanes<E, 4>::function(job);  \
      default: return alone ? Rows<E>::function(job) : Lanes<E, 0>::function(job);     \
    }                                                                                  \
  }

CHOOSE(solve)
CHOOSE(inverse)
CHOOSE(determinant)
CHOOSE(sign_and_logarithm)
CHOOSE(lu)
CHOOSE(cholesky)
#undef CHOOSE

template <typename S, typename E>
constexpr SmallFamily kFamily = {&choose_solve<S, E>,       &choose_inverse<S, E>,
                                 &choose_determinant<S, E>, &choose_sign_and_logarithm<S, E>,
                                 &choose_lu<S, E>,          &choose_cholesky<S, E>};

constexpr SmallKernels kKernels = {kPackLanes, 4, kAcross, kMostRows, &scratch_size,
                                   kFamily<double, Pack>, kFamily<Complex<double>, Complex<Pack>>};

}  // namespace

const SmallKernels& small_kernels() { return kKernels; }

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
