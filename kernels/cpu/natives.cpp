// The table of compiled linear-algebra kernels.
#include <cstring>

#include "stack.h"

namespace numerics::cpu {

std::vector<const Native*> all_native() {
  std::vector<const Native*> all;
  for (const std::vector<Native>* family :
       {&kSolve, &kDeterminants, &kTriangular, &kLdl, &kFactor, &kEigen, &kSvd, &kLstsq, &kNorms,
        &kExponential, &kSquareRoot, &kRank, &kVander}) {
    for (const Native& kernel : *family) all.push_back(&kernel);
  }
  return all;
}

const Native* find_native(const char* name) {
  for (const Native* kernel : all_native()) {
    if (std::strcmp(kernel->name, name) == 0) return kernel;
  }
  return nullptr;
}

}  // namespace numerics::cpu
