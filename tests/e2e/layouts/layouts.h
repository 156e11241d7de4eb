// SPDX-License-Identifier: Apache-2.0
// Types from a header, and a chain of typedefs.
typedef struct {
  double real, imag;
} dcomplex;
typedef dcomplex number;
typedef number pair[2];
typedef double real3[3];
