/* SPDX-License-Identifier: Apache-2.0 */
/* device_launch_parameters.h: cuda_runtime.h has threadIdx and the other variables. */
#include "cuda_runtime.h"
