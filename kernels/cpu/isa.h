// Which instruction set the elementwise kernels, the reductions and the products use: the best that the machine
// supports, or one that a caller asked for. Any thread may read it at any time.
#pragma once

#include <vector>

#include "elementwise.h"
#include "powers.h"
#include "products.h"
#include "reductions.h"
#include "small/small.h"

namespace numerics::cpu {

// Names of those that were compiled in and that this machine supports, the best last.
std::vector<const char*> supported_isas();

// The loops in use.
const ElementwiseTable& active_table();
const Reductions& active_reductions();
const Products& active_products();
const Powers& active_powers();
const SmallKernels& active_small_kernels();

// Use another instruction set from now on; false, and no change, if it is not among the supported.
bool select_isa(const char* name);

}  // namespace numerics::cpu
