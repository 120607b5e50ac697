#include "isa.h"

#include <atomic>
#include <cstring>

namespace numerics::cpu {

namespace baseline {
const ElementwiseTable& elementwise_table();
const Reductions& reductions();
const Products& products();
const Powers& powers();
const SmallKernels& small_kernels();
}  // namespace baseline

#if defined(__x86_64__) || defined(_M_X64)

namespace v3 {
const ElementwiseTable& elementwise_table();
const Reductions& reductions();
const Products& products();
const Powers& powers();
const SmallKernels& small_kernels();
}  // namespace v3
namespace v4 {
const ElementwiseTable& elementwise_table();
const Reductions& reductions();
const Products& products();
const Powers& powers();
const SmallKernels& small_kernels();
}  // namespace v4

#endif

namespace {

struct InstructionSet {
  const ElementwiseTable& (*table)();
  const Reductions& (*reductions)();
  const Products& (*products)();
  const Powers& (*powers)();
  const SmallKernels& (*small_kernels)();
  bool (*is_supported)();
};

#if defined(__x86_64__) || defined(_M_X64)

// The rest of x86-64-v3 (F16C, LZCNT, MOVBE) came with these in every processor, and not every
// compiler can ask for it by name.
bool supports_v3() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

bool supports_v4() {
  return supports_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

#endif

// From the least to the best, as CMakeLists.txt compiles them.
constexpr InstructionSet kInstructionSets[] = {
    {&baseline::elementwise_table, &baseline::reductions, &baseline::products, &baseline::powers,
     &baseline::small_kernels, [] { return true; }},
#if defined(__x86_64__) || defined(_M_X64)
    {&v3::elementwise_table, &v3::reductions, &v3::products, &v3::powers, &v3::small_kernels,
     &supports_v3},
    {&v4::elementwise_table, &v4::reductions, &v4::products, &v4::powers, &v4::small_kernels,
     &supports_v4},
#endif
};

const InstructionSet& best() {
  const InstructionSet* result = nullptr;
  for (const InstructionSet& isa : kInstructionSets) {
    if (isa.is_supported()) result = &isa;
  }
  return *result;
}

std::atomic<const ElementwiseTable*> table{&best().table()};
std::atomic<const Reductions*> reductions{&best().reductions()};
std::atomic<const Products*> products{&best().products()};
std::atomic<const Powers*> powers{&best().powers()};
std::atomic<const SmallKernels*> small_kernels{&best().small_kernels()};

}  // namespace

std::vector<const char*> supported_isas() {
  std::vector<const char*> names;
  for (const InstructionSet& isa : kInstructionSets) {
    if (isa.is_supported()) names.push_back(isa.table().isa);
  }
  return names;
}

const ElementwiseTable& active_table() { return *table.load(std::memory_order_relaxed); }
const Reductions& active_reductions() { return *reductions.load(std::memory_order_relaxed); }
const Products& active_products() { return *products.load(std::memory_order_relaxed); }
const Powers& active_powers() { return *powers.load(std::memory_order_relaxed); }
const SmallKernels& active_small_kernels() {
  return *small_kernels.load(std::memory_order_relaxed);
}

bool select_isa(const char* name) {
  for (const InstructionSet& isa : kInstructionSets) {
    if (std::strcmp(isa.table().isa, name) == 0 && isa.is_supported()) {
      table.store(&isa.table(), std::memory_order_relaxed);
      reductions.store(&isa.reductions(), std::memory_order_relaxed);
      products.store(&isa.products(), std::memory_order_relaxed);
      powers.store(&isa.powers(), std::memory_order_relaxed);
      small_kernels.store(&isa.small_kernels(), std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

}  // namespace numerics::cpu
