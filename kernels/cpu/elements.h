// Moving matrices between NumPy's strided storage and LAPACK's columns. float32 and complex64 are
// widened on the way in and rounded once on the way out.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "stack.h"

namespace numerics::cpu {

template <typename T>
struct SingleOf {
  using type = float;
};
template <>
struct SingleOf<std::complex<double>> {
  using type = std::complex<float>;
};

inline bool is_single(char type) { return type == 'f' || type == 'F'; }

// Visits (row, column) in tiles, so that neither side of a transposing copy runs through memory
// with a long stride for more than a few cache lines.
template <typename Visit>
void tiles(Index rows, Index columns, Visit visit) {
  constexpr Index kTile = 16;
  for (Index j0 = 0; j0 < columns; j0 += kTile) {
    const Index j1 = std::min(columns, j0 + kTile);
    for (Index i0 = 0; i0 < rows; i0 += kTile) {
      const Index i1 = std::min(rows, i0 + kTile);
      for (Index j = j0; j < j1; ++j) {
        for (Index i = i0; i < i1; ++i) visit(i, j);
      }
    }
  }
}

// Element (i, j) of a view, widened to double.
template <typename T, typename Stored>
T element(const View& from, Index i, Index j) {
  return T(*reinterpret_cast<const Stored*>(from.data + i * from.row + j * from.column));
}
template <typename T>
T element(const View& from, char type, Index i, Index j) {
  return is_single(type) ? element<T, typename SingleOf<T>::type>(from, i, j)
                         : element<T, T>(from, i, j);
}

// Visits (row, column, element) of a view.
template <typename T, typename Visit>
void entries(const View& from, char type, Index rows, Index columns, Visit visit) {
  if (is_single(type)) {
    tiles(rows, columns, [&](Index i, Index j) {
      visit(i, j, element<T, typename SingleOf<T>::type>(from, i, j));
    });
  } else {
    tiles(rows, columns, [&](Index i, Index j) { visit(i, j, element<T, T>(from, i, j)); });
  }
}

// Copies a view into columns of length `leading`.
template <typename T>
void load(const View& from, char type, Index rows, Index columns, T* to, Index leading) {
  entries<T>(from, type, rows, columns,
             [&](Index i, Index j, const T& x) { to[j * leading + i] = x; });
}

inline float round_once(double x, unsigned* flags) {
  const float rounded = static_cast<float>(x);
  if (std::isinf(rounded) && !std::isinf(x)) *flags |= kOverflowInCast;
  return rounded;
}
inline std::complex<float> round_once(std::complex<double> x, unsigned* flags) {
  return {round_once(x.real(), flags), round_once(x.imag(), flags)};
}

// Writes element (i, j) = value(i, j) of a view.
template <typename T, typename Value>
void store(const View& to, char type, Index rows, Index columns, unsigned* flags, Value value) {
  using Single = typename SingleOf<T>::type;
  if (is_single(type)) {
    tiles(rows, columns, [&](Index i, Index j) {
      *reinterpret_cast<Single*>(to.data + i * to.row + j * to.column) =
          round_once(T(value(i, j)), flags);
    });
  } else {
    tiles(rows, columns, [&](Index i, Index j) {
      *reinterpret_cast<T*>(to.data + i * to.row + j * to.column) = value(i, j);
    });
  }
}

// A kernel's window on the stack: the operands of the matrix at hand.
template <typename T>
void load_input(const Stack& stack, int i, Index rows, Index columns, T* to, Index leading) {
  load(stack.input(i), stack.operands[i].type, rows, columns, to, leading);
}

template <typename T, typename Value>
void store_output(Stack& stack, int i, Index rows, Index columns, Value value) {
  store<T>(stack.output(i), stack.operands[stack.inputs + i].type, rows, columns,
           &stack.floating_point, value);
}

// Integers: pivots and infos.
inline int& integer(const View& view, Index i) {
  return *reinterpret_cast<int*>(view.data + i * view.row);
}

inline void fill_nan(const View& to, char type, Index rows, Index columns) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  unsigned flags = 0;
  const auto nan = [](Index, Index) { return kNaN; };
  if (type == 'd' || type == 'f') {
    store<double>(to, type, rows, columns, &flags, nan);
  } else {
    store<std::complex<double>>(to, type, rows, columns, &flags, nan);
  }
}

inline bool is_finite(double x) { return std::isfinite(x); }
inline bool is_finite(const std::complex<double>& z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}

template <typename T>
bool all_finite(const T* values, Index count) {
  return std::all_of(values, values + count, [](const T& x) { return is_finite(x); });
}

template <typename T>
bool any_nan(const T* values, Index count) {
  return std::any_of(values, values + count, [](const T& x) { return x != x; });
}

// The larger of the parts of a complex number: within a factor of √2 of its magnitude, and finite
// where that would overflow.
inline double largest_part(double x) { return std::fabs(x); }
inline double largest_part(const std::complex<double>& z) {
  return std::max(std::fabs(z.real()), std::fabs(z.imag()));
}

template <typename T>
double largest_entry(const T* values, Index count) {
  double largest = 0;
  for (Index i = 0; i < count; ++i) largest = std::max(largest, largest_part(values[i]));
  return largest;
}

// x · 2^exponent, exact unless the result is subnormal or overflows.
inline double times_power(double x, std::int64_t exponent) {
  constexpr std::int64_t kRange = 4 * std::numeric_limits<double>::max_exponent;
  return exponent == 0 ? x : std::ldexp(x, static_cast<int>(std::clamp(exponent, -kRange, kRange)));
}
inline std::complex<double> times_power(const std::complex<double>& z, std::int64_t exponent) {
  return {times_power(z.real(), exponent), times_power(z.imag(), exponent)};
}

// Brings the largest of some finite numbers to about 1 if it is above 2^beyond or below 2^-beyond;
// returns the exponent of the power of two that was taken out, 0 if none was.
template <typename T>
int take_exponent(T* values, Index count, int beyond) {
  const double largest = largest_entry(values, count);
  if (largest == 0 || !std::isfinite(largest)) return 0;
  int exponent = 0;
  std::frexp(largest, &exponent);
  if (std::abs(exponent) <= beyond) return 0;
  for (Index i = 0; i < count; ++i) values[i] = times_power(values[i], -exponent);
  return exponent;
}

// Products without std::complex's repair of what NaN and infinity make.
inline double times(double a, double b) { return a * b; }
inline std::complex<double> times(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(const std::complex<double>& z) { return std::conj(z); }

// LAPACK's scratch memory, of the length that it likes best.
template <typename T>
struct Work {
  T* data = nullptr;
  lapack::Integer length = 0;
};

// What a routine has answered for small m and n: there the question takes up to as long as the work.
class KnownLengths {
 public:
  lapack::Integer find(Index m, Index n) const {
    return is_small(m, n) ? lengths_[m][n].load(std::memory_order_relaxed) : 0;
  }
  void set(Index m, Index n, lapack::Integer length) {
    if (is_small(m, n)) lengths_[m][n].store(length, std::memory_order_relaxed);
  }

 private:
  static constexpr Index kSmall = 16;
  static bool is_small(Index m, Index n) { return m <= kSmall && n <= kSmall; }

  std::atomic<lapack::Integer> lengths_[kSmall + 1][kSmall + 1] = {};
};

// `run(data, &length)` calls the routine, which with a length of -1 answers with the best one for
// its m and n. Where that overflows LAPACK's integers, the least one serves.
template <typename T, typename Run>
Work<T> best_work(Workspace& workspace, KnownLengths& known, Index m, Index n, Run run,
                  lapack::Integer least = 0) {
  lapack::Integer length = known.find(m, n);
  if (length == 0) {
    T best(0);
    lapack::Integer query = -1;
    run(&best, &query);
    length = std::max(least, static_cast<lapack::Integer>(std::real(best)));
    known.set(m, n, length);
  }
  return {workspace.take<T>(length), length};
}

// The right-hand sides of a system of n equations, in columns that the solutions take over. A vector
// is one column.
template <typename T>
class RightHandSides {
 public:
  RightHandSides(const Stack& stack, Workspace& workspace)
      : n(stack.size('n')), k(stack.size('k')), columns(workspace.take<T>(n * k)) {}

  void load(const Stack& stack, int input) { load_input(stack, input, n, k, columns, n); }
  void store(Stack& stack) {
    store_output<T>(stack, 0, n, k, [&](Index i, Index j) { return columns[j * n + i]; });
  }

  const Index n, k;
  T* const columns;
};

}  // namespace numerics::cpu
