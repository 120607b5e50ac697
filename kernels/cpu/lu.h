// LU factorization with partial pivoting, P A = L U, and what is computed from it.
#pragma once

#include <limits>

#include "square.h"

namespace numerics::cpu {

// One matrix of m × n at a time: factor, then solve or read the pivots. Up to kSmall rows and
// columns the elimination is written out here, for there a call of LAPACK costs more than the work;
// the algorithm is getrf's.
template <typename T>
class Lu {
 public:
  Lu(Index m, Index n, Workspace& workspace)
      : m_(m),
        n_(n),
        is_small_(std::max(m, n) <= kSmall),
        A_(workspace.take<T>(m * n)),
        pivots_(workspace.take<lapack::Integer>(std::min(m, n))) {}

  // Takes input `i` of the stack; returns getrf's info: the first pivot that is exactly zero,
  // counted from 1, or 0.
  std::int64_t factor(const Stack& stack, int i) {
    load_input(stack, i, m_, n_, A_, m_);
    return eliminate();
  }

  // The same, where L and U themselves are not asked for: a matrix so small that products of its
  // entries would underflow, or so large that elimination overflowed, is factored as 2^-exponent A.
  std::int64_t factor_scaled(const Stack& stack, int i) {
    exponent_ = 0;
    const std::int64_t info = factor(stack, i);
    if (info == 0 && is_well_scaled()) return 0;
    exponent_ = safe_exponent(stack, i);
    if (exponent_ == 0) return info;
    load_input(stack, i, m_, n_, A_, m_);
    for (Index e = 0; e < m_ * n_; ++e) A_[e] = times_power(A_[e], -exponent_);
    return eliminate();
  }

  // Takes what stands in `matrix()`: columns of length m.
  std::int64_t factor() { return eliminate(); }

  // Takes the factors of a square matrix from inputs `i` and `i + 1` of the stack, pivots counted
  // from 0. Returns kNotPivots, the first pivot that is exactly zero, counted from 1, or 0.
  std::int64_t take(const Stack& stack, int i) {
    exponent_ = 0;
    load_input(stack, i, n_, n_, A_, n_);
    for (Index j = 0; j < n_; ++j) {
      const int row = integer(stack.input(i + 1), j);
      if (row < 0 || row >= n_) return kNotPivots;
      set_exchanged(j, row);
    }
    for (Index j = 0; j < n_; ++j) {
      if (entry(j, j) == T(0)) return j + 1;
    }
    return 0;
  }

  // Overwrites `k` columns of length n by the solutions of A x = b, or of the transposed or
  // conjugate transposed system, by LAPACK's letter.
  void solve(T* b, Index k, char trans = 'N') {
    if (n_ == 0 || k == 0) return;
    int shift = -exponent_;
    if (exponent_ != 0) shift += take_exponent(b, n_ * k, 0);
    if (is_small_ && trans == 'N') {
      solve_small(b, k);
    } else if (k > 1 && n_ <= kMostForOneThread) {
      solve_by_triangles(b, k, trans);
    } else {
      solve_by_lapack(b, k, trans);
    }
    if (exponent_ == 0) return;
    for (Index e = 0; e < n_ * k; ++e) b[e] = times_power(b[e], shift);
  }

  T* matrix() { return A_; }
  Index pivot_count() const { return std::min(m_, n_); }
  T entry(Index i, Index j) const { return A_[j * m_ + i]; }
  T pivot(Index i) const { return entry(i, i); }
  int exponent() const { return exponent_; }

  // The row that changed places with row i.
  Index exchanged(Index i) const {
    return is_small_ ? pivots_[i] : lapack::element(pivots_, i) - 1;
  }

  // Parity of the row exchanges.
  bool is_odd() const {
    bool odd = false;
    for (Index i = 0; i < pivot_count(); ++i) odd ^= exchanged(i) != i;
    return odd;
  }

 private:
  static constexpr Index kSmall = 4;
  // Products of two entries of this size neither underflow nor overflow.
  static constexpr double kTiny = 0x1p-500, kHuge = 0x1p1000;

  static double size_of(double x) { return std::fabs(x); }
  static double size_of(const std::complex<double>& z) {
    return std::fabs(z.real()) + std::fabs(z.imag());  // as LAPACK chooses pivots
  }

  void set_exchanged(Index i, Index row) {
    if (is_small_) {
      pivots_[i] = row;
    } else {
      lapack::set_element(pivots_, i, row + 1);
    }
  }

  // What overflowed or underflowed on the way shows in the pivots: NaN and infinity spread to the
  // last of them, and rows whose products underflow have tiny ones.
  bool is_well_scaled() const {
    for (Index i = 0; i < pivot_count(); ++i) {
      const double size = largest_part(pivot(i));
      if (!(size > kTiny && size < kHuge)) return false;
    }
    return true;
  }

  // Scaling up is exact as long as the largest entry stays finite. Scaling down may flush small
  // entries to zero, so it goes no further than growth in the elimination asks for.
  int safe_exponent(const Stack& stack, int i) const {
    double largest = 0;
    bool finite = true;
    entries<T>(stack.input(i), stack.operands[i].type, m_, n_, [&](Index, Index, const T& x) {
      finite &= is_finite(x);
      largest = std::max(largest, largest_part(x));
    });
    if (!finite || largest == 0) return 0;
    int exponent = 0;
    std::frexp(largest, &exponent);
    if (largest < kTiny) return exponent;
    constexpr int kRoomForGrowth = 100;
    const int highest = std::numeric_limits<double>::max_exponent - kRoomForGrowth;
    return !is_finite(pivot(pivot_count() - 1)) && exponent > highest ? exponent - highest : 0;
  }

  std::int64_t eliminate() {
    if (pivot_count() == 0) return 0;
    if (is_small_) return eliminate_small();
    lapack::Integer m = m_, n = n_, info = 0;
    lapack::call<T>(lapack::getrf, &m, &n, A_, &m, pivots_, &info);
    return lapack::value(info);
  }

  std::int64_t eliminate_small() {
    std::int64_t info = 0;
    for (Index j = 0; j < pivot_count(); ++j) {
      T* column = A_ + j * m_;
      Index largest = j;
      for (Index i = j + 1; i < m_; ++i) {
        if (size_of(column[i]) > size_of(column[largest])) largest = i;
      }
      pivots_[j] = largest;
      if (largest != j) {
        for (Index k = 0; k < n_; ++k) std::swap(A_[k * m_ + j], A_[k * m_ + largest]);
      }
      if (column[j] == T(0)) {
        if (info == 0) info = j + 1;
        continue;
      }
      for (Index i = j + 1; i < m_; ++i) column[i] /= column[j];
      for (Index k = j + 1; k < n_; ++k) {
        for (Index i = j + 1; i < m_; ++i) A_[k * m_ + i] -= column[i] * A_[k * m_ + j];
      }
    }
    return info;
  }

  void solve_small(T* b, Index k) const {
    for (Index column = 0; column < k; ++column, b += n_) {
      for (Index j = 0; j < n_; ++j) std::swap(b[j], b[pivots_[j]]);
      for (Index j = 0; j < n_; ++j) {
        for (Index i = j + 1; i < n_; ++i) b[i] -= A_[j * n_ + i] * b[j];
      }
      for (Index j = n_ - 1; j >= 0; --j) {
        b[j] /= A_[j * n_ + j];
        for (Index i = 0; i < j; ++i) b[i] -= A_[j * n_ + i] * b[j];
      }
    }
  }

  // What getrs does, but on one thread.
  void solve_by_triangles(T* b, Index k, char trans) {
    if (trans == 'N') {
      for (Index j = 0; j < k; ++j) {
        for (Index i = 0; i < n_; ++i) std::swap(b[j * n_ + i], b[j * n_ + exchanged(i)]);
      }
      solve_triangle('L', trans, 'U', n_, A_, k, b);
      solve_triangle('U', trans, 'N', n_, A_, k, b);
      return;
    }
    solve_triangle('U', trans, 'N', n_, A_, k, b);
    solve_triangle('L', trans, 'U', n_, A_, k, b);
    for (Index j = 0; j < k; ++j) {
      for (Index i = n_ - 1; i >= 0; --i) std::swap(b[j * n_ + i], b[j * n_ + exchanged(i)]);
    }
  }

  void solve_by_lapack(T* b, Index k, char trans) {
    if (is_small_) {  // LAPACK counts pivots from 1, in its own integers
      for (Index j = 0; j < n_; ++j) lapack::set_element(lapack_pivots_, j, pivots_[j] + 1);
    }
    lapack::Integer n = n_, columns = k, info = 0;
    lapack::call<T>(lapack::getrs, &trans, &n, &columns, A_, &n,
                    is_small_ ? lapack_pivots_ : pivots_, b, &n, &info);
  }

  Index m_, n_;
  bool is_small_;
  T* A_;
  lapack::Integer* pivots_;
  lapack::Integer lapack_pivots_[kSmall];
  int exponent_ = 0;
};

}  // namespace numerics::cpu
