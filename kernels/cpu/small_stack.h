// The kernels of the solve family over a stack: small matrices by the kernels for them, what those
// leave, and all others, by the careful kernel.
#pragma once

#include <optional>

#include "elements.h"
#include "isa.h"

namespace numerics::cpu {

// The small kernels that compute with T.
template <typename T>
const SmallFamily& small_family(const SmallKernels& kernels) {
  return lapack::is_complex<T> ? kernels.complex : kernels.real;
}

// Memory that holds packs of numbers.
inline double* take_aligned(Workspace& workspace, Index count) {
  constexpr std::uintptr_t kAlignment = 64;
  const auto start = reinterpret_cast<std::uintptr_t>(
      workspace.take<double>(count + Index{kAlignment / sizeof(double)}));
  return reinterpret_cast<double*>((start + kAlignment - 1) & ~(kAlignment - 1));
}

// The next `job.count` matrices of the stack, which goes on to those behind them.
inline void take_matrices(Stack& stack, SmallJob& job) {
  const int operands = stack.inputs + stack.outputs;
  const int filled = (job.count + kMostLanes - 1) / kMostLanes * kMostLanes;
  for (int done = 0; done < job.count;) {
    const int count = static_cast<int>(std::min<Index>(job.count - done, stack.row()));
    for (int i = 0; i < operands; ++i) {
      const bool is_input = i < stack.inputs;
      char* first = (is_input ? stack.input(i) : stack.output(i - stack.inputs)).data;
      char** at = is_input ? job.inputs[i].at : job.outputs[i - stack.inputs].at;
      const Index distance = stack.distance(i);
      for (int matrix = 0; matrix < count; ++matrix) at[done + matrix] = first + matrix * distance;
      if (job.count == 1) continue;
      for (int rest = done + count; rest < filled; ++rest) at[rest] = at[done + count - 1];
    }
    stack.skip(count);
    done += count;
  }
}

inline SmallJob small_job(const Stack& stack) {
  SmallJob job;
  job.n = stack.size('n');
  job.k = stack.size('k');
  job.upper = stack.options.upper;
  job.lower = stack.options.lower;
  job.unit_diagonal = stack.options.unit_diagonal;
  job.trans = stack.options.trans;
  job.overflows_in_cast = false;
  for (int i = 0; i < stack.inputs + stack.outputs; ++i) {
    const Operand& operand = stack.operands[i];
    SmallOperand& small = i < stack.inputs ? job.inputs[i] : job.outputs[i - stack.inputs];
    small.row = operand.core_strides[0];
    small.column = operand.core_strides[1];
    small.type = operand.type;
  }
  return job;
}

inline bool is_square(const Stack& stack) {
  for (int i = 0; i < stack.name_count; ++i) {
    if (stack.names[i] == 'm' && stack.sizes[i] != stack.size('n')) return false;
  }
  return true;
}

// Right-hand sides of stacks whose matrices share registers: all of them are in scratch memory.
constexpr Index kMostColumnsInLanes = 64;

// A kernel names its small version in `small`, and says in `kHasUnrolled` whether that is unrolled
// for the smallest sizes, and so needs no scratch memory for one matrix.
//
// Calls report(info) for every matrix that failed. With `has_info` the last result is an info, which
// is 0 for the others.
template <typename Kernel, bool has_info, typename Report>
void run_small(Stack& stack, const SmallKernels& kernels, Report report) {
  const SmallKernel run = Kernel::small(kernels);
  SmallJob job = small_job(stack);
  const bool in_lanes =
      stack.count > 1 && job.n <= kernels.most_in_lanes && job.k <= kMostColumnsInLanes;
  const Index most = in_lanes ? kMostMatrices : 1;
  Workspace workspace;
  std::optional<Kernel> careful;
  job.scratch = nullptr;
  if (in_lanes || job.n > kernels.most_in_registers || !Kernel::kHasUnrolled) {
    job.scratch = take_aligned(workspace, kernels.scratch(job.n, in_lanes ? job.k : 0));
  }
  for (Range range; stack.take(&range);) {
    stack.seek(range.first);
    if (has_info) {
      int* infos = &integer(stack.output(stack.outputs - 1), 0);
      std::fill(infos, infos + (range.last - range.first), 0);
    }
    while (stack.matrix() < range.last) {
      const Index first = stack.matrix();
      job.count = static_cast<int>(std::min(most, range.last - first));
      take_matrices(stack, job);
      const std::uint64_t left = run(job);
      if (left == 0) continue;
      if (!careful) careful.emplace(stack, workspace);
      for (int i = 0; i < job.count; ++i) {
        if ((left >> i & 1) == 0) continue;
        stack.seek(first + i);
        const std::int64_t info = (*careful)(stack);
        if (info != 0) report(info);
      }
      stack.seek(first + job.count);
    }
  }
  if (job.overflows_in_cast) stack.floating_point |= kOverflowInCast;
}

template <typename Kernel, bool has_info, typename Report>
void run_small_or_careful(Stack& stack, Report report) {
  const SmallKernels& kernels = active_small_kernels();
  const Index n = stack.size('n');
  if (n > 0 && n <= kernels.most_rows && is_square(stack)) {
    run_small<Kernel, has_info>(stack, kernels, report);
  } else {
    run_kernel<Kernel>(stack, report);
  }
}

template <typename Kernel>
void solve_over_stack(Stack& stack) {
  run_small_or_careful<Kernel, false>(stack, [&](std::int64_t info) {
    if (info != 0) stack.failures.push_back({stack.matrix(), info});
  });
}

// The same, but nothing fails: LAPACK's info is the last result, and a matrix that it speaks
// against has NaN for the first one, of `rows` by `columns`.
template <typename Kernel, char rows, char columns>
void solve_over_stack_with_info(Stack& stack) {
  run_small_or_careful<Kernel, true>(stack, [&](std::int64_t info) {
    integer(stack.output(stack.outputs - 1), 0) = static_cast<int>(info);
    if (info == 0) return;
    fill_nan(stack.output(0), stack.operands[stack.inputs].type, stack.size(rows),
             stack.size(columns));
  });
}

#define SOLVE_RUN(Kernel) \
  {&solve_over_stack<Kernel<double>>, &solve_over_stack<Kernel<std::complex<double>>>}

#define SOLVE_RUN_WITH_INFO(Kernel, rows, columns)             \
  {&solve_over_stack_with_info<Kernel<double>, rows, columns>, \
   &solve_over_stack_with_info<Kernel<std::complex<double>>, rows, columns>}

// They need no BLAS up to 256 rows.
constexpr Cost kOfSmall{5, 0.1, &cubic, 256 * 256};

}  // namespace numerics::cpu
