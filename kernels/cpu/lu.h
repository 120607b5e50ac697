// LU factorization with partial pivoting, P A = L U, and what is computed from it.
#pragma once

#include "elements.h"

namespace numerics::cpu {

// One matrix at a time: factor, then solve or read the pivots. Up to kSmall rows the elimination is
// written out here, for there a call of LAPACK costs more than the work; the algorithm is getrf's.
template <typename T>
class Lu {
 public:
  Lu(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')),
        A_(workspace.take<T>(n_ * n_)),
        pivots_(workspace.take<lapack::Integer>(n_)) {}

  // Takes input `i` of the stack; returns getrf's info: the first pivot that is exactly zero,
  // counted from 1, or 0.
  std::int64_t factor(const Stack& stack, int i) {
    load_input(stack, i, n_, n_, A_, n_);
    return factor();
  }

  // Takes what stands in `matrix()`: columns of length n.
  std::int64_t factor() {
    if (n_ == 0) return 0;
    if (n_ <= kSmall) return factor_small();
    lapack::Integer n = n_, info = 0;
    lapack::call<T>(lapack::getrf, &n, &n, A_, &n, pivots_, &info);
    return lapack::value(info);
  }

  // Overwrites `k` columns of length n by the solutions.
  void solve(T* b, Index k) {
    if (n_ == 0 || k == 0) return;
    if (n_ <= kSmall) return solve_small(b, k);
    char as_it_is = 'N';
    lapack::Integer n = n_, columns = k, info = 0;
    lapack::call<T>(lapack::getrs, &as_it_is, &n, &columns, A_, &n, pivots_, b, &n, &info);
  }

  T* matrix() { return A_; }
  Index size() const { return n_; }
  T pivot(Index i) const { return A_[i * n_ + i]; }

  // Parity of the row exchanges.
  bool is_odd() const {
    bool odd = false;
    for (Index i = 0; i < n_; ++i) odd ^= exchanged(i) != i;
    return odd;
  }

 private:
  static constexpr Index kSmall = 4;

  // The row that changed places with row i.
  Index exchanged(Index i) const {
    return n_ <= kSmall ? pivots_[i] : lapack::element(pivots_, i) - 1;
  }

  static double size_of(double x) { return std::fabs(x); }
  static double size_of(const std::complex<double>& z) {
    return std::fabs(z.real()) + std::fabs(z.imag());  // as LAPACK chooses pivots
  }

  std::int64_t factor_small() {
    std::int64_t info = 0;
    for (Index j = 0; j < n_; ++j) {
      T* column = A_ + j * n_;
      Index largest = j;
      for (Index i = j + 1; i < n_; ++i) {
        if (size_of(column[i]) > size_of(column[largest])) largest = i;
      }
      pivots_[j] = largest;
      if (largest != j) {
        for (Index k = 0; k < n_; ++k) std::swap(A_[k * n_ + j], A_[k * n_ + largest]);
      }
      if (column[j] == T(0)) {
        if (info == 0) info = j + 1;
        continue;
      }
      for (Index i = j + 1; i < n_; ++i) column[i] /= column[j];
      for (Index k = j + 1; k < n_; ++k) {
        for (Index i = j + 1; i < n_; ++i) A_[k * n_ + i] -= column[i] * A_[k * n_ + j];
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

  Index n_;
  T* A_;
  lapack::Integer* pivots_;
};

}  // namespace numerics::cpu
