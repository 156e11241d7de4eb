#pragma once
#include <cuda_runtime.h>
#define HD __host__ __device__ __forceinline__
#ifdef CHECKED
#define OPTION(i) ((i) < 7)
#else
#define OPTION(i) ((i) < 9)
#endif
