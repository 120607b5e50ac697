// The principal square root of a matrix by its Schur form.
#include <cmath>
#include <limits>
#include <optional>

#include "heevd.h"
#include "triangular_root.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;
using Complex = std::complex<double>;

// A = Q T Qᴴ; T quasi-triangular if real.
template <typename T>
class Schur {
 public:
  Schur(Index n, T* A, Workspace& workspace)
      : Q(workspace.take<T>(n * n)),
        n_(n),
        A_(A),
        eigenvalues_(workspace.take<T>(2 * n)),
        real_work_(workspace.take<double>(n)) {
    work_ = best_work<T>(workspace, known_, n, n,
                         [&](T* work, Integer* length) { call(work, length); });
  }

  // T takes the place of A.
  std::int64_t run() { return call(work_.data, &work_.length); }

  T* const Q;

 private:
  std::int64_t call(T* work, Integer* length) {
    char vectors = 'V', unsorted = 'N';
    void* unused = nullptr;  // the function that selects, and its answers
    Integer n = n_, selected = 0, info = 0;
    if constexpr (lapack::is_complex<T>) {
      lapack::call<T>(lapack::gees, &vectors, &unsorted, unused, &n, A_, &n, &selected,
                      eigenvalues_, Q, &n, work, length, real_work_, unused, &info);
    } else {
      lapack::call<T>(lapack::gees, &vectors, &unsorted, unused, &n, A_, &n, &selected,
                      eigenvalues_, eigenvalues_ + n_, Q, &n, work, length, unused, &info);
    }
    return lapack::value(info);
  }

  Index n_;
  T* A_;
  T* eigenvalues_;
  double* real_work_;
  Work<T> work_;
  static inline KnownLengths known_;
};

// Where a root is computed: in double, or in complex numbers if a real matrix has none in double.
template <typename S>
struct Scratch {
  Scratch(Index n, Workspace& workspace)
      : U(workspace.take<S>(n * n)),
        Q(workspace.take<S>(n * n)),
        product(workspace.take<S>(n * n)),
        root(n, workspace) {}

  S *U, *Q, *product;
  TriangularRoot<S> root;
};

template <typename T>
class SquareRoot {
 public:
  SquareRoot(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')), workspace_(workspace), A_(workspace.take<T>(n_ * n_)) {}

  std::int64_t operator()(Stack& stack) {
    if (n_ == 0) return 0;
    load_input(stack, 0, n_, n_, A_, n_);
    if (!all_finite(A_, n_ * n_)) {
      fill_nan(stack.output(0), stack.operands[1].type, n_, n_);
      return 0;
    }
    prescale();
    const std::int64_t info = triangularize(stack);
    if (info != 0) return info;
    if constexpr (!lapack::is_complex<T>) {
      if (has_negative_eigenvalue()) {
        stack.has_complex_values = true;
        return finish(stack, complex_);
      }
    }
    return finish(stack, own_);
  }

 private:
  T& at(Index i, Index j) { return A_[j * n_ + i]; }

  // Squares of the largest entries have to be numbers. A power of four has a root that is a power
  // of two.
  void prescale() {
    const double largest = largest_entry(A_, n_ * n_);
    half_exponent_ = 0;
    if (largest == 0 || (largest > 0x1p-400 && largest < 0x1p400)) return;
    int exponent = 0;
    std::frexp(largest, &exponent);
    half_exponent_ = exponent / 2;
    const double factor = std::ldexp(1.0, -half_exponent_);
    for (Index i = 0; i < n_ * n_; ++i) A_[i] = A_[i] * factor * factor;
  }

  // A = Q T Qᴴ, or its transpose is T; T takes the place of A.
  std::int64_t triangularize(const Stack& stack) {
    Q_ = nullptr;
    roundoff_ = 0;
    is_hermitian_ = false;
    const bool is_triangular = is_upper(n_, A_);
    is_transposed_ = !is_triangular && is_lower(n_, A_);
    if (is_transposed_) transpose(n_, A_);
    // A triangular matrix shows its eigenvalues as they are, however small.
    if (is_triangular || is_transposed_) return 0;
    eps_ = static_cast<double>(n_) * eps_of(stack.operands[0].type);
    roundoff_ = eps_ * frobenius_norm();
    is_hermitian_ = is_hermitian();
    return is_hermitian_ ? diagonalize() : schur();
  }

  // Imaginary parts on the diagonal that rounding has left, as in a product A Aᴴ, do not count.
  bool is_hermitian() {
    for (Index j = 0; j < n_; ++j) {
      if (std::fabs(std::imag(at(j, j))) > eps_ * std::fabs(std::real(at(j, j)))) return false;
      for (Index i = 0; i < j; ++i) {
        if (at(i, j) != conjugate(at(j, i))) return false;
      }
    }
    return true;
  }

  // Of the input, which may have been rounded to single precision.
  static double eps_of(char type) {
    return is_single(type) ? std::numeric_limits<float>::epsilon()
                           : std::numeric_limits<double>::epsilon();
  }

  double frobenius_norm() const {
    double sum = 0;
    for (Index i = 0; i < n_ * n_; ++i) sum += std::norm(A_[i]);
    return std::sqrt(sum);
  }

  std::int64_t diagonalize() {
    if (!heevd_) heevd_.emplace(n_, 'L', workspace_);
    std::copy(A_, A_ + n_ * n_, heevd_->A);
    const std::int64_t info = heevd_->run();
    std::fill(A_, A_ + n_ * n_, T(0));
    for (Index i = 0; i < n_; ++i) at(i, i) = without_noise(heevd_->w[i]);
    Q_ = heevd_->A;
    return info;
  }

  std::int64_t schur() {
    if (!schur_) schur_.emplace(n_, A_, workspace_);
    const std::int64_t info = schur_->run();
    Q_ = schur_->Q;
    if constexpr (!lapack::is_complex<T>) {
      for (Index i = 0; i < n_; ++i) {
        if (is_real_eigenvalue(i)) at(i, i) = without_noise(at(i, i));
      }
    }
    return info;
  }

  // An eigenvalue that is negative by no more than the backward error is taken for zero, or
  // singular matrices would have complex roots by chance.
  double without_noise(double eigenvalue) const {
    return eigenvalue < 0 && eigenvalue >= -roundoff_ ? 0 : eigenvalue;
  }

  bool is_real_eigenvalue(Index i) {
    const bool is_first = i + 1 < n_ && at(i + 1, i) != T(0);
    return !is_first && (i == 0 || at(i, i - 1) == T(0));
  }

  bool has_negative_eigenvalue() {
    for (Index i = 0; i < n_; ++i) {
      if (std::real(at(i, i)) < 0 && is_real_eigenvalue(i)) return true;
    }
    return false;
  }

  template <typename S>
  std::int64_t finish(Stack& stack, std::optional<Scratch<S>>& scratch) {
    if (!scratch) scratch.emplace(n_, workspace_);
    S* X = scratch->U;
    std::copy(A_, A_ + n_ * n_, X);
    const std::int64_t info = scratch->root(X, roundoff_);
    if (info != 0) return info;
    if (Q_ != nullptr) {
      std::copy(Q_, Q_ + n_ * n_, scratch->Q);
      multiply(n_, scratch->Q, X, scratch->product);
      multiply_adjoint(n_, scratch->product, scratch->Q, X);
    }
    // All roots of the eigenvalues are real: the root is Hermitian too, and is made so to the bit.
    if (is_hermitian_ && std::real(A_[0]) >= 0) mirror(X);
    const double factor = std::ldexp(1.0, half_exponent_);
    store_output<Complex>(stack, 0, n_, n_, [&](Index i, Index j) {
      if (is_transposed_) std::swap(i, j);
      return Q_ == nullptr && i > j ? S(0) : X[j * n_ + i] * factor;
    });
    if (!all_finite(X, n_ * n_)) stack.floating_point |= kOverflow;
    return 0;
  }

  template <typename S>
  void mirror(S* X) const {
    for (Index j = 0; j < n_; ++j) {
      X[j * n_ + j] = std::real(X[j * n_ + j]);
      for (Index i = 0; i < j; ++i) X[j * n_ + i] = conjugate(X[i * n_ + j]);
    }
  }

  Index n_;
  Workspace& workspace_;
  T* A_;
  const T* Q_ = nullptr;
  bool is_transposed_ = false, is_hermitian_ = false;
  int half_exponent_ = 0;
  double eps_ = 0, roundoff_ = 0;  // relative and absolute, of a backward stable method
  std::optional<Heevd<T, true>> heevd_;
  std::optional<Schur<T>> schur_;
  std::optional<Scratch<T>> own_;
  std::optional<Scratch<Complex>> complex_;
};

// dsyevd with vectors asks for 1 + 6n + 2n² words, gees for fewer.
double largest_size(const Stack& stack) {
  const double n = static_cast<double>(stack.size('n'));
  return 1 + 6 * n + 2 * n * n;
}

}  // namespace

const std::vector<Native> kSquareRoot = {
    {"sqrtm", NATIVE_RUN(SquareRoot), &largest_size, {}},
};

}  // namespace numerics::cpu
