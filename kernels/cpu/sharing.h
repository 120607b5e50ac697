// A stack on its way through one kernel, on as many threads as it is worth.
#pragma once

#include <functional>

#include "stack.h"

namespace numerics::cpu {

// About how long the kernel takes for the stack on one thread, in nanoseconds.
double duration(const Native& native, bool is_complex, const Stack& stack);

// Does the calling thread go on? Asked now and then, between two matrices.
using GoesOn = std::function<bool()>;

// Runs the kernel over the stack, which takes `duration`, while other threads may do what they like.
// `goes_on` may be empty; if it says no, the result is false and the outputs are not all written.
// What is written and reported does not depend on the number of threads.
bool run_stack(const Native& native, bool is_complex, Stack& stack, double duration,
               const GoesOn& goes_on);

// Multiplies all durations by a factor, and returns the one before: tests have small stacks taken
// for large ones.
double exaggerate_durations(double factor);

}  // namespace numerics::cpu
