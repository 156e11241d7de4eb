/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_pipeline_primitives.h: all that there is of cuda_pipeline.h. */
#include "cuda_pipeline.h"
