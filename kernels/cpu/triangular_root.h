// The principal square root of upper quasi-triangular matrices, block by block. Å. Björck &
// S. Hammarling, Linear Algebra Appl. 52/53 (1983) 127-140; for real blocks of two rows
// N. J. Higham, Linear Algebra Appl. 88/89 (1987) 405-430.
#pragma once

#include <cmath>
#include <limits>

#include "square.h"

namespace numerics::cpu {

// In the place of an upper triangular matrix of n columns, which may have standardized blocks
// [[a, b], [c, a]], b c < 0, on its diagonal where it is real: dgees's form. `S` is double if no
// real eigenvalue is negative.
template <typename S>
class TriangularRoot {
 public:
  TriangularRoot(Index n, Workspace& workspace)
      : n_(n), null_(workspace.take<S>(n)), is_second_(workspace.take<bool>(n)) {}

  // Returns kNoRoot if the eigenvalue zero is defective, to within `roundoff`.
  std::int64_t operator()(S* U, double roundoff) {
    U_ = U;
    roundoff_ = roundoff;
    for (Index j = 0; j < n_; ++j) is_second_[j] = j > 0 && at(j, j - 1) != S(0);
    for (Index j = 0; j < n_; j += width(j)) diagonal_block(j);
    for (Index j = width(0); j < n_; j += width(j)) {
      if (!above(j)) return kNoRoot;
    }
    return 0;
  }

 private:
  S& at(Index i, Index j) { return U_[j * n_ + i]; }
  Index width(Index j) const { return j + 1 < n_ && is_second_[j + 1] ? 2 : 1; }
  bool is_zero(Index j) { return width(j) == 1 && at(j, j) == S(0); }

  static double root(double x) { return std::sqrt(x); }
  // A negative number is taken to lie above its branch cut, whichever zero its imaginary part is,
  // so that equal eigenvalues have equal roots.
  static std::complex<double> root(const std::complex<double>& z) {
    return std::sqrt(std::complex<double>(z.real(), z.imag() + 0.0));
  }

  // Eigenvalues a ± i m of a block have the roots x ± i m / (2x), and the block's root is
  // x + (block - a) / (2x): Higham (1987), lemma 2.
  void diagonal_block(Index j) {
    if (width(j) == 1) {
      at(j, j) = root(at(j, j));
      return;
    }
    const double a = std::real(at(j, j));
    const double m = std::sqrt(std::abs(at(j, j + 1))) * std::sqrt(std::abs(at(j + 1, j)));
    const double part = std::sqrt((std::fabs(a) + std::hypot(a, m)) / 2);
    const double x = a > 0 ? part : m / (2 * part);
    at(j, j) = at(j + 1, j + 1) = x;
    at(j, j + 1) /= 2 * x;
    at(j + 1, j) /= 2 * x;
  }

  // The blocks above diagonal block j, from below: U(i,i) X + X U(j,j) = T(i,j) - Σ U(i,k) U(k,j).
  // The sum is taken away as soon as its terms are known.
  //
  // If both eigenvalues are zero, that does not tell X. But a root that is a function of T takes
  // the null vectors of T to zero. `null` becomes the one with a one in place j and a zero for each
  // other eigenvalue zero, row by row from U null = 0.
  bool above(Index j) {
    const Index columns = width(j);
    bool follows_null = false;
    for (Index i = 0; is_zero(j) && i < j; ++i) follows_null |= is_zero(i);
    if (follows_null) std::fill(null_, null_ + j, S(0));  // of U null, what is known so far
    for (Index end = j; end > 0;) {
      const Index i = is_second_[end - 1] ? end - 2 : end - 1, rows = end - i;
      if (follows_null && is_zero(i)) {
        if (!is_roundoff(i, j)) return false;
        at(i, j) = S(0) - null_[i];  // no zero with a sign
        null_[i] = 0;
      } else {
        const S none[4] = {};
        sylvester(&at(i, i), rows, &at(j, j), n_, columns, &at(i, j));
        if (follows_null) {
          for (Index r = i; r < end; ++r) null_[r] = -(null_[r] + at(r, j));
          sylvester(&at(i, i), rows, none, 2, 1, null_ + i);
        }
      }
      for (Index k = i; k < end; ++k) {
        for (Index c = j; c < j + columns; ++c) subtract(k, at(k, c), &at(0, c), i);
        if (follows_null) subtract(k, -null_[k], null_, i);
      }
      end = i;
    }
    return true;
  }

  // Takes `factor` times the upper part of column k from `to`.
  void subtract(Index k, const S& factor, S* to, Index rows) {
    if (factor == S(0)) return;  // nearly always, in a diagonal matrix
    const S* column = &at(0, k);
    for (Index r = 0; r < rows; ++r) to[r] -= times(column[r], factor);
  }

  bool is_roundoff(Index i, Index j) {
    double sum = 0;
    for (Index k = i + 1; k < j; ++k) sum += std::abs(at(i, k)) * std::abs(at(k, j));
    constexpr double kEps = std::numeric_limits<double>::epsilon();
    return std::abs(at(i, j)) <= roundoff_ + 4 * static_cast<double>(n_) * kEps * sum;
  }

  // X becomes the solution of L X + X R = X, of `rows` by `columns`, each at most 2: Gaussian
  // elimination in the linear equations for its entries.
  void sylvester(const S* L, Index rows, const S* R, Index leading, Index columns, S* X) {
    if (rows == 1 && columns == 1) {
      *X /= *L + *R;
      return;
    }
    const Index size = rows * columns;
    S M[4][5] = {};
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) {
        S* equation = M[j * rows + i];
        for (Index k = 0; k < rows; ++k) equation[j * rows + k] += L[k * n_ + i];
        for (Index k = 0; k < columns; ++k) equation[k * rows + i] += R[j * leading + k];
        equation[size] = X[j * n_ + i];
      }
    }
    for (Index c = 0; c < size; ++c) {
      Index pivot = c;
      for (Index r = c + 1; r < size; ++r) {
        if (std::abs(M[r][c]) > std::abs(M[pivot][c])) pivot = r;
      }
      std::swap(M[c], M[pivot]);
      for (Index r = c + 1; r < size; ++r) {
        const S factor = M[r][c] / M[c][c];
        for (Index k = c; k <= size; ++k) M[r][k] -= times(factor, M[c][k]);
      }
    }
    for (Index c = size - 1; c >= 0; --c) {
      S value = M[c][size];
      for (Index k = c + 1; k < size; ++k) value -= times(M[c][k], M[k][size]);
      M[c][size] = value / M[c][c];
    }
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) X[j * n_ + i] = M[j * rows + i][size];
    }
  }

  Index n_;
  S* null_;
  bool* is_second_;
  S* U_ = nullptr;
  double roundoff_ = 0;
};

}  // namespace numerics::cpu
