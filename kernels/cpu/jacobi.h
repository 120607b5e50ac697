// Singular value decomposition by one-sided Jacobi rotations.
#pragma once

#include "stack.h"

namespace numerics::cpu {

// The algorithm of Drmač and Veselić [1]. With B = A, or Aᴴ if A is wide:
//
//   Π B P = Q R        rows sorted by magnitude, columns pivoted (geqp3)
//   Rᴴ = Q₂ R₂         so that few rotations are left
//   R₂ᴴ J = W Σ        one-sided Jacobi: rotations J until the columns are orthogonal
//   B = (Πᵀ Q W) Σ (P Q₂ J)ᴴ
//
// If B = C D or D C with diagonal D, singular values have a relative error of about eps·κ(C),
// whatever D [2]; by a bidiagonal form it is eps·κ(B). Below 2^-1400 of the largest, singular
// values are 0.
//
// [1] Z. Drmač, K. Veselić, New fast and accurate Jacobi SVD algorithm I, II, SIAM J. Matrix
//     Anal. Appl. 29 (2008) 1322-1362.
// [2] J. Demmel, K. Veselić, Jacobi's method is more accurate than QR, SIAM J. Matrix Anal.
//     Appl. 13 (1992) 1204-1245.
template <typename T>
class JacobiSvd {
 public:
  // Scratch memory for m by n matrices, min(m, n) > 0, with `u_columns` columns of U and `v_rows`
  // rows of Vᴴ: all, min(m, n), or none of both.
  JacobiSvd(Index m, Index n, Index u_columns, Index v_rows, Workspace& workspace);

  // Decomposes finite A, whose columns have length m, into U, descending s, Vᴴ. Returns 0, or 1
  // if the rotations do not come to an end.
  std::int64_t operator()(const T* A, T* U, double* s, T* Vh);

 private:
  int load(const T* A);
  void factor();
  Index factor_again();
  bool make_orthogonal(Index rank);
  bool sweep(Index rank);
  bool orthogonalize(Index i, Index j, Index rank);
  double length(Index j, Index rank) const;
  void make_left(Index rank);
  void make_right(Index rank);
  void sort_left(Index rank);
  void multiply(T* a, Index length, Index rank, T* to);
  void factor_columns(T* a, Index rows, Index columns, T* tau);
  void make_columns(T* reflectors, Index apart, Index rows, Index columns, Index count, T* tau);
  void store(Index rank, T* left, T* right) const;

  bool is_wide_, has_vectors_;
  Index p_, q_, left_columns_;  // B is p by q, p >= q
  T* B_;                        // B, its QR factorization, columns of Q
  T* X_;                        // R₂ᴴ, rotated; in the end the right singular vectors
  T* R_;                        // Rᴴ, its QR factorization, columns of Q₂
  T* J_ = nullptr;              // the rotations
  T* W_ = nullptr;
  T* left_ = nullptr;  // the left singular vectors
  T* tau_;
  T* second_tau_;
  double* real_work_;
  double* lengths_;  // of the columns of X
  lapack::Integer* pivots_;
  Index* rows_;   // which row of A became row i of B
  Index* order_;  // columns of X, the longest first
  lapack::Integer work_length_ = 0;
  T* work_ = nullptr;
};

}  // namespace numerics::cpu
