// SPDX-License-Identifier: Apache-2.0
#pragma once
template <class T> __device__ __forceinline__ T one() { return T(1); }
