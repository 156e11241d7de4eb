#include "launched_early.h"
void run(float *a) { k<<<1, 32>>>(a); }
#pragma autotune kernel block(32, 64)
__global__ void k(float *a) { a[threadIdx.x] = 0; }
