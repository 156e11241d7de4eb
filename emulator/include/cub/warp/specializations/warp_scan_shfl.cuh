/* SPDX-License-Identifier: Apache-2.0 */
/* warp_scan_shfl.cuh: the toolkit's has shuffles as inline PTX. The emulated one goes
 * through shared memory, by the toolkit's own header. */
#ifndef AUTOTUNE_EMULATE_CUB_WARP_SCAN_SHFL_H
#define AUTOTUNE_EMULATE_CUB_WARP_SCAN_SHFL_H

#pragma GCC system_header

#include <cub/warp/specializations/warp_scan_smem.cuh>

CUB_NAMESPACE_BEGIN
namespace detail {
template <class T, int LANES> struct WarpScanShfl : WarpScanSmem<T, LANES> {
  using WarpScanSmem<T, LANES>::WarpScanSmem;
};
} // namespace detail
CUB_NAMESPACE_END

#endif
