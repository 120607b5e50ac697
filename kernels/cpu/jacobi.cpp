#include "jacobi.h"

#include <numeric>
#include <utility>

#include "elements.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;

constexpr double kEps = std::numeric_limits<double>::epsilon();
// The largest entry of B is brought just below 2^480: squares of the lengths of its columns stay
// below 2^1024 for up to 2^31 rows. Pivots below 2^-960 count as zero, for their columns lose
// digits to underflow.
constexpr int kTopExponent = 480;
constexpr double kLeastPivot = 0x1p-960;
// Columns shorter than this are lifted before their entries are multiplied with each other.
constexpr double kShort = 0x1p-450;
constexpr double kLift = 0x1p480;
double lift(double length) { return length < kShort ? kLift : 1; }
// Below this quotient of two lengths, what a rotation does to the longer column is less than its
// rounding.
constexpr double kFarApart = 0x1p-60;
constexpr int kMostSweeps = 40;  // ten are rarely needed

// xᴴ y, in several sums that do not wait for each other.
double inner(const double* x, const double* y, Index n) {
  double sums[4] = {0, 0, 0, 0};
  Index k = 0;
  for (; k + 4 <= n; k += 4) {
    for (int lane = 0; lane < 4; ++lane) sums[lane] += x[k + lane] * y[k + lane];
  }
  for (; k < n; ++k) sums[0] += x[k] * y[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
std::complex<double> inner(const std::complex<double>* x, const std::complex<double>* y, Index n) {
  double real[2] = {0, 0}, imag[2] = {0, 0};
  for (Index k = 0; k < n; ++k) {
    const double a = x[k].real(), b = x[k].imag(), c = y[k].real(), d = y[k].imag();
    real[k % 2] += a * c + b * d;
    imag[k % 2] += a * d - b * c;
  }
  return {real[0] + real[1], imag[0] + imag[1]};
}

template <typename T>
T lifted_inner(const T* x, double x_lift, const T* y, double y_lift, Index n) {
  T sum(0);
  for (Index k = 0; k < n; ++k) sum += conjugate(x[k] * x_lift) * (y[k] * y_lift);
  return sum;
}

// x ← c x - conj(s) y, y ← s x + c y
template <typename T>
void rotate(T* x, T* y, double c, T s, Index n) {
  const T opposite = conjugate(s);
  for (Index k = 0; k < n; ++k) {
    const T before = x[k];
    x[k] = c * before - times(opposite, y[k]);
    y[k] = times(s, before) + c * y[k];
  }
}

}  // namespace

template <typename T>
JacobiSvd<T>::JacobiSvd(Index m, Index n, Index u_columns, Index v_rows, Workspace& workspace)
    : is_wide_(m < n),
      has_vectors_(u_columns > 0),
      p_(std::max(m, n)),
      q_(std::min(m, n)),
      left_columns_(is_wide_ ? v_rows : u_columns),
      B_(workspace.take<T>(p_ * std::max(q_, left_columns_))),
      X_(workspace.take<T>(q_ * q_)),
      R_(workspace.take<T>(q_ * q_)),
      tau_(workspace.take<T>(q_)),
      second_tau_(workspace.take<T>(q_)),
      real_work_(workspace.take<double>(2 * q_)),
      lengths_(workspace.take<double>(std::max(p_, q_))),
      pivots_(workspace.take<Integer>(q_)),
      rows_(workspace.take<Index>(p_)),
      order_(workspace.take<Index>(q_)) {
  if (has_vectors_) {
    J_ = workspace.take<T>(q_ * q_);
    W_ = workspace.take<T>(q_ * q_);
    left_ = workspace.take<T>(p_ * q_);
  }
  T best(0);
  work_ = &best;
  work_length_ = -1;
  Integer longest = 3 * q_ + 1;
  const auto query = [&](auto run) {
    run();
    longest = std::max(longest, static_cast<Integer>(std::real(best)));
  };
  query([&] { factor(); });
  query([&] { factor_columns(R_, q_, q_, second_tau_); });
  if (has_vectors_) {
    query([&] { make_columns(B_, p_, p_, left_columns_, q_, tau_); });
    query([&] { make_columns(R_, q_, q_, q_, q_, second_tau_); });
  }
  work_length_ = longest;
  work_ = workspace.take<T>(work_length_);
}

template <typename T>
std::int64_t JacobiSvd<T>::operator()(const T* A, T* U, double* s, T* Vh) {
  const int shift = load(A);
  std::fill(pivots_, pivots_ + q_, Integer{0});  // every column may be moved
  factor();
  const Index rank = factor_again();
  if (!make_orthogonal(rank)) return 1;
  std::iota(order_, order_ + rank, Index{0});
  std::stable_sort(order_, order_ + rank,
                   [&](Index i, Index j) { return lengths_[i] > lengths_[j]; });
  for (Index c = 0; c < q_; ++c) s[c] = c < rank ? std::ldexp(lengths_[order_[c]], -shift) : 0;
  if (!has_vectors_) return 0;
  make_left(rank);
  make_right(rank);
  store(rank, is_wide_ ? Vh : U, is_wide_ ? U : Vh);
  return 0;
}

// Undoes the permutations. Of a wide matrix, left and right are those of the adjoint.
template <typename T>
void JacobiSvd<T>::store(Index rank, T* left, T* right) const {
  for (Index c = 0; c < left_columns_; ++c) {
    const T* column = (c < rank ? left_ : B_) + c * p_;
    for (Index i = 0; i < p_; ++i) {
      if (is_wide_) {
        left[rows_[i] * left_columns_ + c] = conjugate(column[i]);
      } else {
        left[c * p_ + rows_[i]] = column[i];
      }
    }
  }
  for (Index c = 0; c < q_; ++c) {
    const T* column = (c < rank ? X_ : R_) + c * q_;
    for (Index i = 0; i < q_; ++i) {
      const Index row = lapack::element(pivots_, i) - 1;
      if (is_wide_) {
        right[c * q_ + row] = column[i];
      } else {
        right[row * q_ + c] = conjugate(column[i]);
      }
    }
  }
}

// B = A or Aᴴ times a power of two, whose exponent is returned; rows sorted, the largest first.
template <typename T>
int JacobiSvd<T>::load(const T* A) {
  const auto entry = [&](Index i, Index j) {
    return is_wide_ ? conjugate(A[i * q_ + j]) : A[j * p_ + i];
  };
  double* largest = lengths_;
  std::fill(largest, largest + p_, 0.0);
  tiles(p_, q_,
        [&](Index i, Index j) { largest[i] = std::max(largest[i], largest_part(entry(i, j))); });
  std::iota(rows_, rows_ + p_, Index{0});
  std::stable_sort(rows_, rows_ + p_, [&](Index i, Index j) { return largest[i] > largest[j]; });
  int exponent = 0;
  std::frexp(largest[rows_[0]], &exponent);
  const int shift = kTopExponent - exponent;
  const double half = std::ldexp(1.0, shift / 2), rest = std::ldexp(1.0, shift - shift / 2);
  tiles(p_, q_, [&](Index i, Index j) { B_[j * p_ + i] = entry(rows_[i], j) * half * rest; });
  return shift;
}

// B P = Q R
template <typename T>
void JacobiSvd<T>::factor() {
  Integer rows = p_, columns = q_, info = 0;
  if constexpr (lapack::is_complex<T>) {
    lapack::call<T>(lapack::geqp3, &rows, &columns, B_, &rows, pivots_, tau_, work_, &work_length_,
                    real_work_, &info);
  } else {
    lapack::call<T>(lapack::geqp3, &rows, &columns, B_, &rows, pivots_, tau_, work_, &work_length_,
                    &info);
  }
}

// Rᴴ = Q₂ R₂ without the columns that are zero, whose number is q less what is returned; X = R₂ᴴ.
template <typename T>
Index JacobiSvd<T>::factor_again() {
  Index rank = 0;
  while (rank < q_ && largest_part(B_[rank * p_ + rank]) >= kLeastPivot) ++rank;
  for (Index j = 0; j < rank; ++j) {
    for (Index i = 0; i < q_; ++i) R_[j * q_ + i] = i < j ? T(0) : conjugate(B_[i * p_ + j]);
  }
  factor_columns(R_, q_, rank, second_tau_);
  for (Index j = 0; j < rank; ++j) {
    for (Index i = 0; i < rank; ++i) X_[j * q_ + i] = i < j ? T(0) : conjugate(R_[i * q_ + j]);
  }
  return rank;
}

template <typename T>
bool JacobiSvd<T>::make_orthogonal(Index rank) {
  if (has_vectors_) {
    std::fill(J_, J_ + q_ * rank, T(0));
    for (Index j = 0; j < rank; ++j) J_[j * q_ + j] = T(1);
  }
  bool is_orthogonal = false;
  for (int i = 0; i < kMostSweeps && !is_orthogonal; ++i) is_orthogonal = sweep(rank);
  for (Index j = 0; j < rank; ++j) lengths_[j] = length(j, rank);
  return is_orthogonal;
}

// Every pair of columns once, the longest column first (de Rijk's order). True if no pair had to
// be rotated.
template <typename T>
bool JacobiSvd<T>::sweep(Index rank) {
  bool is_orthogonal = true;
  for (Index j = 0; j < rank; ++j) lengths_[j] = length(j, rank);
  for (Index i = 0; i < rank; ++i) {
    const Index longest = std::max_element(lengths_ + i, lengths_ + rank) - lengths_;
    if (longest != i) {
      std::swap(lengths_[i], lengths_[longest]);
      std::swap_ranges(X_ + i * q_, X_ + i * q_ + rank, X_ + longest * q_);
      if (has_vectors_) std::swap_ranges(J_ + i * q_, J_ + i * q_ + rank, J_ + longest * q_);
    }
    for (Index j = i + 1; j < rank; ++j) is_orthogonal &= !orthogonalize(i, j, rank);
  }
  return is_orthogonal;
}

// Rotates columns i and j until they are orthogonal; false if they are already. With their cosine
// c·ω, |ω| = 1, the tangent t of the angle solves t² + 2ζt = 1, ζ = (|y|/|x| - |x|/|y|) / 2c [1].
template <typename T>
bool JacobiSvd<T>::orthogonalize(Index i, Index j, Index rank) {
  T* x = X_ + i * q_;
  T* y = X_ + j * q_;
  const double x_length = lengths_[i], y_length = lengths_[j];
  if (x_length == 0 || y_length == 0) return false;
  const T cosine = x_length < kShort || y_length < kShort
                       ? lifted_inner(x, lift(x_length), y, lift(y_length), rank) /
                             (x_length * lift(x_length)) / (y_length * lift(y_length))
                       : inner(x, y, rank) / x_length / y_length;
  const double c = std::abs(cosine);
  if (!(c > 2 * std::sqrt(static_cast<double>(rank)) * kEps)) return false;
  if (y_length / x_length < kFarApart) {
    const T part = cosine * y_length;
    for (Index k = 0; k < rank; ++k) y[k] -= times(part, x[k] / x_length);
    lengths_[j] = length(j, rank);
    return true;
  }
  const double zeta = (y_length / x_length - x_length / y_length) / (2 * c);
  const double t = 1 / (zeta + std::copysign(std::hypot(1, zeta), zeta));
  const double cos = 1 / std::sqrt(1 + t * t);
  const T sin = cosine / c * (t * cos);
  rotate(x, y, cos, sin, rank);
  if (has_vectors_) rotate(J_ + i * q_, J_ + j * q_, cos, sin, rank);
  const double x_factor = 1 - t * c * (y_length / x_length);
  const double y_factor = 1 + t * c * (x_length / y_length);
  constexpr double kCancels = 0x1p-20;
  lengths_[i] = x_factor > kCancels ? x_length * std::sqrt(x_factor) : length(i, rank);
  lengths_[j] = y_factor > kCancels ? y_length * std::sqrt(y_factor) : length(j, rank);
  return true;
}

template <typename T>
double JacobiSvd<T>::length(Index j, Index rank) const {
  const T* x = X_ + j * q_;
  const double plain = std::sqrt(std::real(inner(x, x, rank)));
  if (plain >= kShort) return plain;
  return std::sqrt(std::real(lifted_inner(x, kLift, x, kLift, rank))) / kLift;
}

// U = Q W Σ⁻¹, and in B the columns of Q, for those behind the rank complete the basis.
template <typename T>
void JacobiSvd<T>::make_left(Index rank) {
  make_columns(B_, p_, p_, left_columns_, q_, tau_);
  sort_left(rank);
  multiply(B_, p_, rank, left_);
}

// V = P Q₂ J, in X and without P; and in R the columns of Q₂.
template <typename T>
void JacobiSvd<T>::make_right(Index rank) {
  make_columns(R_, q_, q_, q_, rank, second_tau_);
  for (Index c = 0; c < rank; ++c) {
    std::copy_n(J_ + order_[c] * q_, rank, W_ + c * q_);
  }
  multiply(R_, q_, rank, X_);
}

// W: the columns of X in order and at unit length. What has no length is replaced by what
// completes the basis, the last columns of Q in the QR factorization of the others.
template <typename T>
void JacobiSvd<T>::sort_left(Index rank) {
  Index known = rank;
  while (known > 0 && lengths_[order_[known - 1]] == 0) --known;
  for (Index c = 0; c < known; ++c) {
    const T* column = X_ + order_[c] * q_;
    for (Index i = 0; i < rank; ++i) W_[c * q_ + i] = column[i] / lengths_[order_[c]];
  }
  if (known == rank) return;
  for (Index c = 0; c < known; ++c) std::copy_n(W_ + c * q_, rank, X_ + c * q_);
  factor_columns(X_, rank, known, tau_);
  make_columns(X_, q_, rank, rank, known, tau_);
  for (Index c = known; c < rank; ++c) std::copy_n(X_ + c * q_, rank, W_ + c * q_);
}
// The first `rank` columns of `a`, of length `rows`, times W.
template <typename T>
void JacobiSvd<T>::multiply(T* a, Index length, Index rank, T* to) {
  if (rank == 0) return;
  Integer rows = length, count = rank, leading = q_;
  T one(1), zero(0);
  char no = 'N';
  lapack::call<T>(lapack::gemm, &no, &no, &rows, &count, &count, &one, a, &rows, W_, &leading,
                  &zero, to, &rows);
}

// QR factorization of the first columns of a matrix whose columns are q apart.
template <typename T>
void JacobiSvd<T>::factor_columns(T* a, Index rows, Index columns, T* tau) {
  Integer m = rows, n = columns, leading = q_, info = 0;
  lapack::call<T>(lapack::geqrf, &m, &n, a, &leading, tau, work_, &work_length_, &info);
}

// `columns` columns of the Q that the first `count` columns of `reflectors` stand for.
template <typename T>
void JacobiSvd<T>::make_columns(T* reflectors, Index apart, Index rows, Index columns, Index count,
                                T* tau) {
  Integer leading = apart, m = rows, n = columns, k = count, info = 0;
  lapack::call<T>(lapack::orgqr, &m, &n, &k, reflectors, &leading, tau, work_, &work_length_,
                  &info);
}

template class JacobiSvd<double>;
template class JacobiSvd<std::complex<double>>;

}  // namespace numerics::cpu
