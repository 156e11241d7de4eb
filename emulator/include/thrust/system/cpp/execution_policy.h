/* SPDX-License-Identifier: Apache-2.0 */
/* execution_policy.h: the C++ system's policy stands for thrust::cuda::par. A stream
 * needs nothing: see thrust.h. */
#ifndef AUTOTUNE_EMULATE_THRUST_EXECUTION_POLICY_H
#define AUTOTUNE_EMULATE_THRUST_EXECUTION_POLICY_H

#pragma GCC system_header

#include_next <thrust/system/cpp/execution_policy.h>

#include "../../../autotune_emulate/thrust.h"

THRUST_NAMESPACE_BEGIN
namespace cuda {
struct par_t : thrust::system::cpp::detail::par_t {
  const par_t &on(cudaStream_t) const {
    return *this;
  }
};
inline constexpr par_t par;
inline constexpr par_t par_nosync;
} // namespace cuda
THRUST_NAMESPACE_END

#endif
