// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#pragma autotune kernel block(128, 256) grid(ceil)
template <typename T, typename = std::enable_if_t<std::is_floating_point_v<T>>>
__global__ void fill(T *a)
{
  a[threadIdx.x] = 1;
}
