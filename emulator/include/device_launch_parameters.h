/* SPDX-License-Identifier: Apache-2.0 */
/* device_launch_parameters.h: threadIdx and the like, which cuda_runtime.h has. */
#include "cuda_runtime.h"
