// The solve family for small matrices: several of a stack at once, or one cut into rows. The same
// code is compiled for every instruction set; a table holds what it comes to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace numerics::cpu {

constexpr int kMostLanes = 8;
constexpr int kMostMatrices = 64;  // in a job

// One operand of some matrices: where it starts in each, the steps in bytes between its rows and
// columns, NumPy's letter of what is stored. Entries of results lie side by side, row by row.
struct SmallOperand {
  char* at[kMostMatrices];
  std::ptrdiff_t row, column;
  char type;
};

struct SmallJob {
  std::ptrdiff_t n;  // rows and columns
  std::ptrdiff_t k;  // right-hand sides
  int count;  // matrices. If they are more than one, `at` is filled up to whole packs of lanes.
  SmallOperand inputs[3];
  SmallOperand outputs[2];
  bool upper, lower, unit_diagonal;
  char trans;              // N, T or C, as LAPACK has it
  double* scratch;         // SmallKernels::scratch
  bool overflows_in_cast;  // set where a finite number was too large for single precision
};

// Returns the matrices, a bit each, that are left to the careful kernels: those whose pivots are zero
// or NaN or so large or small that products may overflow or underflow, and integer matrices where
// results are exact. What is stored for them means nothing.
using SmallKernel = std::uint64_t (*)(SmallJob&);

struct SmallFamily {
  SmallKernel solve, inverse, determinant, sign_and_logarithm, lu, lu_solve, cholesky,
      cholesky_solve, triangular;
};

struct SmallKernels {
  std::ptrdiff_t most_in_registers;  // rows of a matrix alone that needs no scratch memory
  std::ptrdiff_t most_in_lanes;      // rows of matrices of which several are done at once
  std::ptrdiff_t most_rows;          // beyond, LAPACK is as fast
  // Numbers of scratch memory for n rows and, where lanes are matrices, k right-hand sides.
  std::ptrdiff_t (*scratch)(std::ptrdiff_t n, std::ptrdiff_t k);
  SmallFamily real, complex;
};

}  // namespace numerics::cpu
