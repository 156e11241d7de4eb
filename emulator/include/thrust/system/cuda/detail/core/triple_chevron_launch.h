/* SPDX-License-Identifier: Apache-2.0 */
/* triple_chevron_launch.h: how CUB's device-wide algorithms launch their kernels. */
#ifndef AUTOTUNE_EMULATE_TRIPLE_CHEVRON_LAUNCH_H
#define AUTOTUNE_EMULATE_TRIPLE_CHEVRON_LAUNCH_H

#pragma GCC system_header

#include <thrust/detail/config.h>

#include <cuda_runtime.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub::detail {
struct triple_chevron {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  triple_chevron(dim3 g, dim3 b, size_t bytes = 0, cudaStream_t s = nullptr, bool = false)
      : grid(g), block(b), shared(bytes), stream(s) {
  }
  template <class K, class... A> cudaError_t doit(K k, const A &...a) const {
    autotune_emulate::launch(k, grid, block, shared, stream)(a...);
    return cudaPeekAtLastError();
  }
};
} // namespace cuda_cub::detail
THRUST_NAMESPACE_END

#endif
