// The user's own headers: only what is reached of them is taken.
#include "headers/vector.cuh"
#include <headers/config.h>
#include <map>

namespace {
struct Slot { vec::Vec<float, WIDTH> value; };
using Real = float;

HD Real weight(int i) { return OPTION(i) ? Real(1) : Real(2); }

#pragma autotune kernel param(WIDTH: 2, 4)
__global__ void gather(const Slot *slots, float *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = vec::length(slots[i].value + slots[0].value) * weight(i);
}
}

void run(const Slot *s, float *out) { std::map<int, int> m; gather<<<1, 32>>>(s, out, (int)m.size()); }
