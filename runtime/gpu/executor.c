// SPDX-License-Identifier: Apache-2.0
// executor.c: who tries the variants of CUDA kernels.
#include "gpu.h"

const struct executor_class executor_cuda = { .name = "device" };
