// A stack of matrices on its way through one kernel: what the doorway hands over and what a kernel
// sees. Kernels never touch Python; they read strided views, write strided views, and return
// LAPACK's info for one matrix at a time.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "lapack.h"

namespace numerics::cpu {

using Index = std::ptrdiff_t;

constexpr int kMaxOperands = 8;
constexpr int kMaxNames = 6;
constexpr int kMaxBatch = 64;

enum class Driver { automatic, gesdd, gesvd, jacobi };

// Static parameters of the native kernels, under the names the public functions give them.
struct Options {
  char UPLO = 'L';
  bool upper = false;
  bool lower = false;
  bool unit_diagonal = false;
  bool hermitian = false;
  char trans = 'N';  // LAPACK's letter for 0, 1, 2: as it is, transposed, conjugate transposed
  Driver driver = Driver::automatic;
  double ord = 2;             // of a norm; 2 for "fro" too
  std::vector<double> rcond;  // by matrix; the last one serves all that follow
};

// One core operand: byte strides of rows and columns (of elements, for vectors).
struct View {
  char* data;
  Index row;
  Index column;
};

// Statuses that are no LAPACK info: the kernel requires finite input and met NaN or infinity; the
// integers handed in cannot be the pivots of a factorization; the matrix has no square root.
constexpr std::int64_t kNotFinite = INT64_MIN;
constexpr std::int64_t kNotPivots = INT64_MIN + 1;
constexpr std::int64_t kNoRoot = INT64_MIN + 2;

// What happened to results that NumPy's `errstate` has a say in.
enum FloatingPoint : unsigned {
  kOverflowInCast = 1,  // finite in double, but not in float
  kOverflow = 2,        // infinite, from finite numbers
  kInvalid = 4,         // NaN
};

struct Failure {
  Index matrix;
  std::int64_t info;
};

struct Operand {
  char* data;
  char type;  // NumPy's letter of the stored elements
  Index core_strides[2];
  Index batch_strides[kMaxBatch];
};

struct Stack {
  int inputs, outputs;
  Operand operands[kMaxOperands];  // inputs first
  char names[kMaxNames];           // dimension letters of the signature, and their sizes
  Index sizes[kMaxNames];
  int name_count;
  int batch_ndim;
  Index batch_shape[kMaxBatch];
  Index count;  // matrices in the stack
  Options options;

  // What a kernel reports.
  std::vector<Failure> failures;
  bool has_complex_values = false;  // of real matrices: some result, declared complex, is not real
  unsigned floating_point = 0;      // FloatingPoint flags, for `errstate`

  Index size(char name) const {
    for (int i = 0; i < name_count; ++i) {
      if (names[i] == name) return sizes[i];
    }
    return 1;  // an optional dimension that the operands lack
  }

  View input(int i) const { return view(operands[i]); }
  View output(int i) const { return view(operands[inputs + i]); }

  void first() {
    for (int i = 0; i < inputs + outputs; ++i) offsets_[i] = 0;
    for (int d = 0; d < batch_ndim; ++d) position_[d] = 0;
  }

  void next() {
    for (int d = batch_ndim - 1; d >= 0; --d) {
      const bool carries = ++position_[d] == batch_shape[d];
      for (int i = 0; i < inputs + outputs; ++i) {
        const Index stride = operands[i].batch_strides[d];
        offsets_[i] += carries ? -stride * (batch_shape[d] - 1) : stride;
      }
      if (!carries) return;
      position_[d] = 0;
    }
  }

 private:
  View view(const Operand& operand) const {
    return {operand.data + offsets_[&operand - operands], operand.core_strides[0],
            operand.core_strides[1]};
  }

  Index offsets_[kMaxOperands];
  Index position_[kMaxBatch];
};

// Scratch memory of one call: a few kilobytes come with it, more is taken from the heap.
class Workspace {
 public:
  template <typename T>
  T* take(Index count) {
    const std::size_t exact = static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(T);
    const std::size_t bytes = kGuarded ? exact : (exact + 63) & ~static_cast<std::size_t>(63);
    if (!kGuarded && bytes <= kInline - used_) {
      T* result = reinterpret_cast<T*>(inline_ + used_);
      used_ += bytes;
      return result;
    }
    blocks_.emplace_back(std::malloc(bytes), &std::free);
    if (blocks_.back() == nullptr) throw std::bad_alloc();
    return static_cast<T*>(blocks_.back().get());
  }

 private:
// Under a sanitizer each array is a block of exactly its size, so that its end is seen.
#ifdef NUMERICS_SANITIZE
  static constexpr bool kGuarded = true;
#else
  static constexpr bool kGuarded = false;
#endif
  static constexpr std::size_t kInline = 4096;
  alignas(64) char inline_[kInline];
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<void, void (*)(void*)>> blocks_;
};

// Runs one kernel object over the stack. The kernel's constructor takes its scratch memory, its
// call operator does one matrix and returns LAPACK's info.
template <typename Kernel>
void over_stack(Stack& stack) {
  Workspace workspace;
  Kernel kernel(stack, workspace);
  stack.first();
  for (Index i = 0; i < stack.count; ++i, stack.next()) {
    const std::int64_t info = kernel(stack);
    if (info != 0) stack.failures.push_back({i, info});
  }
}

// What one kernel brings to the table.
struct Native {
  const char* name;
  void (*run[2])(Stack&);  // computing in double, in complex<double>
  // The largest integer that LAPACK will have to hold for these sizes.
  double (*largest_integer)(const Stack&);
  const char* options[3];  // names of the static parameters, in the order of struct Options
};

#define NATIVE_RUN(Kernel) {&over_stack<Kernel<double>>, &over_stack<Kernel<std::complex<double>>>}

extern const std::vector<Native> kSolve, kDeterminants, kTriangular, kLdl, kFactor, kEigen, kSvd,
    kLstsq, kNorms, kExponential, kSquareRoot, kRank;

const Native* find_native(const char* name);
std::vector<const Native*> all_native();

}  // namespace numerics::cpu
