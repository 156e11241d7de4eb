// SPDX-License-Identifier: Apache-2.0
#pragma autotune kernel block(128, 256) out(a[0:n])
template <typename T>
__global__ void fill(const T *__restrict__ a, int n)
{
}
