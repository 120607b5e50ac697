// The solve family for one matrix, rows in lanes. Compiled once per instruction set.
#pragma once

#include <limits>

#include "operands.h"
#include "within.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {

constexpr Index kColumns = 32;  // right-hand sides at a time where lanes are rows

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
  if (is_single_precision(from.type)) {
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
    char* lanes[kPackLanes] = {};
    const Index used = std::min(n - chunk * kPackLanes, Index{kPackLanes});
    for (Index lane = 0; lane < used; ++lane) {
      const Index i = chunk * kPackLanes + lane;
      lanes[lane] = to.at[matrix] + (rows == nullptr ? i : rows[i]) * to.row + begin * to.column;
    }
    const Pack* packs = reinterpret_cast<const Pack*>(&from(chunk, 0));
    const Index size = columns * kParts;
    if (is_single_precision(to.type)) {
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

  // Whether no solution holds NaN: which NaN it is depends on the order of operands.
  bool has_numbers(Index columns) const {
    const PackMask unused = !lanes_below(n - (chunks - 1) * kPackLanes);
    PackMask numbers = lanes_below(kPackLanes);
    for (Index j = 0; j < columns; ++j) {
      for (Index chunk = 0; chunk + 1 < chunks; ++chunk) numbers = numbers & is_number(x(chunk, j));
      numbers = numbers & (is_number(x(chunks - 1, j)) | unused);
    }
    return all(numbers);
  }

  // Loads right-hand sides, row load[i] as row i, calls solve(columns) for some of them at a time,
  // and stores row i as row store[i]. False if there is NaN.
  template <typename Solve>
  bool for_each_column(SmallJob& job, const SmallOperand& b, int matrix, const Index* load,
                       const Index* store, Solve solve) {
    for (Index begin = 0; begin < job.k; begin += kColumns) {
      const Index columns = std::min(kColumns, job.k - begin);
      load_rows(b, matrix, n, load, begin, columns, x);
      solve(columns);
      if (!has_numbers(columns)) return false;
      store_rows(x, n, store, begin, columns, job.outputs[0], matrix, job);
    }
    return true;
  }

  static bool solve(SmallJob& job, int matrix) {
    Rows system(job);
    if (!system.factor(job, matrix)) return false;
    return system.for_each_column(
        job, job.inputs[1], matrix, system.rows, nullptr, [&](Index columns) {
          substitute_forward<true>(system.A, system.n, nullptr, system.x, columns);
          substitute_back<false>(system.A, system.n, system.reciprocals, system.x, columns);
        });
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
    return system.for_each_column(
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
    return system.for_each_column(job, job.inputs[1], matrix, nullptr, nullptr, [&](Index columns) {
      substitute_forward<false>(system.A, n, system.reciprocals, system.x, columns);
      substitute_back<false>(B, n, others, system.x, columns);
    });
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
    return system.for_each_column(job, job.inputs[1], matrix, nullptr, nullptr, [&](Index columns) {
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
      substitute_forward<true>(system.A, job.n, nullptr, system.x, columns);
      substitute_back<false>(system.A, job.n, system.reciprocals, system.x, columns);
      if (!system.has_numbers(columns)) return false;
      store_rows(system.x, job.n, nullptr, begin, columns, job.outputs[0], matrix, job);
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
      if (n <= kMostInLanes) return false;  // as where lanes are matrices
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
}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
