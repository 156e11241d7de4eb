// SPDX-License-Identifier: Apache-2.0
// A function that kernels of another file call.
extern "C" double outside(double x);

extern "C" double outside(double x) {
  return x * 0.25 + 1;
}
