// Eigenvalues and eigenvectors: geev for general matrices, heevd or heev for Hermitian ones.
#include "heevd.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;
using Complex = std::complex<double>;

// geev scales a very large or small matrix by itself, but the one of OpenBLAS 0.3.30, which SciPy
// 1.17 brings along, forgets to scale the eigenvalues back. Within these limits it leaves all alone.
constexpr int kScaledBeyond = 400;

// Eigenvalues come out complex. Whether a stack of real matrices has any that is not real is
// reported, for then NumPy keeps them complex and otherwise makes them real.
template <typename T, bool vectors>
class Geev {
 public:
  Geev(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')),
        A_(workspace.take<T>(n_ * n_)),
        right_(workspace.take<T>(vectors ? n_ * n_ : 1)),
        w_(workspace.take<T>(n_)),
        real_work_(workspace.take<double>(2 * n_)) {
    if (n_ == 0) return;
    work_ = best_work<T>(workspace, known_, n_, n_,
                         [&](T* work, Integer* length) { run(work, length); });
  }

  std::int64_t operator()(Stack& stack) {
    if (n_ == 0) return 0;
    load_input(stack, 0, n_, n_, A_, n_);
    if (!all_finite(A_, n_ * n_)) return kNotFinite;
    exponent_ = take_exponent(A_, n_ * n_, kScaledBeyond);
    const std::int64_t info = run(work_.data, &work_.length);
    if (info != 0) return info;
    for (Index i = 0; i < n_; ++i) {
      if (eigenvalue(i).imag() != 0) stack.has_complex_values = true;
    }
    store_output<Complex>(stack, 0, n_, 1, [&](Index i, Index) { return eigenvalue(i); });
    if constexpr (vectors) {
      store_output<Complex>(stack, 1, n_, n_, [&](Index i, Index j) { return component(i, j); });
    }
    return 0;
  }

 private:
  std::int64_t run(T* work, Integer* length) {
    char none = 'N', job = vectors ? 'V' : 'N';
    Integer n = n_, leading = n_, one = 1, info = 0;
    Integer* right_leading = vectors ? &leading : &one;
    T unused;
    if constexpr (lapack::is_complex<T>) {
      lapack::call<T>(lapack::geev, &none, &job, &n, A_, &leading, w_, &unused, &one, right_,
                      right_leading, work, length, real_work_, &info);
    } else {
      imaginary_ = real_work_;
      lapack::call<T>(lapack::geev, &none, &job, &n, A_, &leading, w_, imaginary_, &unused, &one,
                      right_, right_leading, work, length, &info);
    }
    return lapack::value(info);
  }

  Complex eigenvalue(Index i) const {
    if constexpr (lapack::is_complex<T>) {
      return times_power(w_[i], exponent_);
    } else {
      return times_power(Complex(w_[i], imaginary_[i]), exponent_);
    }
  }

  // Component i of eigenvector j. Real geev packs a conjugate pair j, j+1 as the real and the
  // imaginary part of the first; the first of a pair is the one with positive imaginary part.
  Complex component(Index i, Index j) const {
    if constexpr (lapack::is_complex<T>) {
      return right_[j * n_ + i];
    } else {
      if (imaginary_[j] == 0) return {right_[j * n_ + i], 0};
      if (imaginary_[j] > 0) return {right_[j * n_ + i], right_[(j + 1) * n_ + i]};
      return {right_[(j - 1) * n_ + i], -right_[j * n_ + i]};
    }
  }

  Index n_;
  T* A_;
  T* right_;
  T* w_;
  double* real_work_;  // rwork of the complex routine, imaginary parts of the real one
  double* imaginary_ = nullptr;
  int exponent_ = 0;
  Work<T> work_;
  static inline KnownLengths known_;
};

template <typename T>
using EigVectors = Geev<T, true>;
template <typename T>
using EigValues = Geev<T, false>;

template <typename T, bool vectors>
class Eigh {
 public:
  Eigh(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')), heevd_(n_, stack.options.UPLO, workspace) {}

  std::int64_t operator()(Stack& stack) {
    if (n_ == 0) return 0;
    load_input(stack, 0, n_, n_, heevd_.A, n_);
    if (!heevd_.is_finite()) {
      fill_nan(stack.output(0), stack.operands[1].type, n_, 1);
      if constexpr (vectors) fill_nan(stack.output(1), stack.operands[2].type, n_, n_);
      return 0;
    }
    const std::int64_t info = heevd_.run();
    store_output<double>(stack, 0, n_, 1, [&](Index i, Index) { return heevd_.w[i]; });
    if constexpr (vectors) {
      store_output<T>(stack, 1, n_, n_, [&](Index i, Index j) { return heevd_.A[j * n_ + i]; });
    }
    return info;
  }

 private:
  Index n_;
  Heevd<T, vectors> heevd_;
};

template <typename T>
using EighVectors = Eigh<T, true>;
template <typename T>
using EighValues = Eigh<T, false>;

// dsyevd with vectors asks for 1 + 6n + 2n² words, zheevd for 1 + 5n + 2n².
double largest_eigh(const Stack& stack) {
  const double n = static_cast<double>(stack.size('n'));
  return 1 + 6 * n + 2 * n * n;
}
double largest_eighvals(const Stack& stack) {
  return 1 + (2 + 64) * static_cast<double>(stack.size('n'));
}
// The blocked reduction to Hessenberg form takes at most 64 columns, plus its triangular factor.
double largest_eig(const Stack& stack) {
  return 67.0 * static_cast<double>(stack.size('n')) + 65 * 64;
}

}  // namespace

const std::vector<Native> kEigen = {
    {"geev", NATIVE_RUN(EigVectors), &largest_eig, {}},
    {"geev_values", NATIVE_RUN(EigValues), &largest_eig, {}},
    {"heevd", NATIVE_RUN(EighVectors), &largest_eigh, {"UPLO"}},
    {"heevd_values", NATIVE_RUN(EighValues), &largest_eighvals, {"UPLO"}},
};

}  // namespace numerics::cpu
