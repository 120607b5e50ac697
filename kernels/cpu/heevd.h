// Eigenvalues and, with `vectors`, eigenvectors of Hermitian matrices by LAPACK's heevd (syevd), or
// its heev (syev) if they are small.
#pragma once

#include "elements.h"

namespace numerics::cpu {

template <typename T, bool vectors>
class Heevd {
 public:
  Heevd(Index n, char triangle, Workspace& workspace)
      : A(workspace.take<T>(n * n)), w(workspace.take<double>(n)), n_(n), triangle_(triangle) {
    if (n == 0) return;
    if (is_small()) {
      work_length_ = 3 * n;
      work_ = workspace.take<T>(work_length_);
      real_work_ = workspace.take<double>(3 * n);
      return;
    }
    T size(0);
    double real_size = 0;
    Integer integer_size = 0, query = -1;
    call(&size, &query, &real_size, &query, &integer_size, &query);
    work_length_ = static_cast<Integer>(std::real(size));
    real_length_ = static_cast<Integer>(real_size);
    integer_length_ = lapack::value(integer_size);
    work_ = workspace.take<T>(work_length_);
    real_work_ = workspace.take<double>(real_length_);
    integer_work_ = workspace.take<Integer>(integer_length_);
  }

  // Whether the triangle holds neither NaN nor infinity: of those syevd may make finite numbers, or
  // never end.
  bool is_finite() const {
    for (Index j = 0; j < n_; ++j) {
      if (!std::isfinite(std::real(A[j * n_ + j]))) return false;
      const T* column = A + j * n_;
      const bool lower = triangle_ == 'L';
      if (!all_finite(column + (lower ? j + 1 : 0), lower ? n_ - j - 1 : j)) return false;
    }
    return true;
  }

  // Overwrites `A`, of which one triangle is read, by the eigenvectors; `w` ascends.
  std::int64_t run() {
    Integer length = work_length_, real_length = real_length_, integer_length = integer_length_;
    return call(work_, &length, real_work_, &real_length, integer_work_, &integer_length);
  }

  T* const A;
  double* const w;

 private:
  using Integer = lapack::Integer;

  // Both iterate by QR then, and heev goes there the shorter way: with vectors by a third for two
  // rows, a tenth for four, some per cent for 16. Nor does it have to be asked for its workspace,
  // since it takes no columns together.
  bool is_small() const { return n_ <= 16; }

  std::int64_t call(T* work, Integer* length, double* real_work, Integer* real_length,
                    Integer* integer_work, Integer* integer_length) {
    char job = vectors ? 'V' : 'N';
    Integer n = n_, info = 0;
    if (is_small()) {
      if constexpr (lapack::is_complex<T>) {
        lapack::call<T>(lapack::heev, &job, &triangle_, &n, A, &n, w, work, length, real_work,
                        &info);
      } else {
        lapack::call<T>(lapack::heev, &job, &triangle_, &n, A, &n, w, work, length, &info);
      }
    } else if constexpr (lapack::is_complex<T>) {
      lapack::call<T>(lapack::heevd, &job, &triangle_, &n, A, &n, w, work, length, real_work,
                      real_length, integer_work, integer_length, &info);
    } else {
      lapack::call<T>(lapack::heevd, &job, &triangle_, &n, A, &n, w, work, length, integer_work,
                      integer_length, &info);
    }
    return lapack::value(info);
  }

  Index n_;
  char triangle_;
  Integer work_length_ = 0, real_length_ = 0, integer_length_ = 0;
  T* work_ = nullptr;
  double* real_work_ = nullptr;
  Integer* integer_work_ = nullptr;
};

}  // namespace numerics::cpu
