// Square matrices in columns: products, triangular ones told from others, and systems of those.
#pragma once

#include "elements.h"

namespace numerics::cpu {

// C = A B. Up to kSmall rows the sums are written out, for there a call of BLAS costs more.
template <typename T>
void multiply(Index n, const T* A, const T* B, T* C) {
  constexpr Index kSmall = 4;
  if (n <= kSmall) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        T sum(0);
        for (Index k = 0; k < n; ++k) sum += times(A[k * n + i], B[j * n + k]);
        C[j * n + i] = sum;
      }
    }
    return;
  }
  char as_it_is = 'N';
  lapack::Integer size = n;
  T one(1), zero(0);
  lapack::call<T>(lapack::gemm, &as_it_is, &as_it_is, &size, &size, &size, &one, const_cast<T*>(A),
                  &size, const_cast<T*>(B), &size, &zero, C, &size);
}

// C = A Bᴴ.
template <typename T>
void multiply_adjoint(Index n, const T* A, const T* B, T* C) {
  char as_it_is = 'N', adjoint = 'C';
  lapack::Integer size = n;
  T one(1), zero(0);
  lapack::call<T>(lapack::gemm, &as_it_is, &adjoint, &size, &size, &size, &one, const_cast<T*>(A),
                  &size, const_cast<T*>(B), &size, &zero, C, &size);
}

// Up to here a matrix of a stack is one thread's.
constexpr Index kMostForOneThread = 100;

// Overwrites k columns of length n by T⁻¹, T⁻ᵀ or T⁻ᴴ times them, for one triangle T of A, by
// LAPACK's letters. OpenBLAS wakes its threads from 1024 entries on, which takes longer than the
// work and blocks threads that share a stack: it is given strips of fewer.
template <typename T>
void solve_triangle(char triangle, char trans, char diagonal, Index n, const T* A, Index k, T* b) {
  constexpr Index kEntries = 1023;
  const Index strip = n <= kMostForOneThread ? kEntries / n : k;
  for (Index j = 0; j < k; j += strip) {
    char left = 'L';
    lapack::Integer rows = n, columns = std::min(strip, k - j);
    T one(1);
    lapack::call<T>(lapack::trsm, &left, &triangle, &trans, &diagonal, &rows, &columns, &one,
                    const_cast<T*>(A), &rows, b + j * n, &rows);
  }
}

// Are all entries zero that lie above the diagonal, for entry (i, j) at i * row + j * column? With
// the strides exchanged: that lie below it.
template <typename T>
bool is_zero_above(Index n, const T* A, Index row, Index column) {
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < j; ++i) {
      if (A[i * row + j * column] != T(0)) return false;
    }
  }
  return true;
}

template <typename T>
bool is_lower(Index n, const T* A) {
  return is_zero_above(n, A, 1, n);
}

template <typename T>
bool is_upper(Index n, const T* A) {
  return is_zero_above(n, A, n, 1);
}

template <typename T>
void transpose(Index n, T* A) {
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < j; ++i) std::swap(A[j * n + i], A[i * n + j]);
  }
}

}  // namespace numerics::cpu
