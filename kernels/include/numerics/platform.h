#pragma once

// Marks what a GPU runs too.
#if defined(__CUDACC__)
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

// The build compiles the same files once per instruction set, each time into an inline namespace of
// its own: code for AVX-512 and code for any machine then differ in name, and the linker cannot
// keep one copy for both. A file that is compiled once (CUDA, a test) needs no name.
#ifndef NUMERICS_ISA_NAMESPACE
#define NUMERICS_ISA_NAMESPACE generic
#endif
