/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_pipeline_primitives.h: its functions are in cuda_pipeline.h. */
#include "cuda_pipeline.h"
