/* SPDX-License-Identifier: Apache-2.0 */
/* templates.h: a kernel that two files instantiate alike. */
#ifndef AUTOTUNE_TEST_TEMPLATES_H
#define AUTOTUNE_TEST_TEMPLATES_H

/* A += 10 on the N numbers on the device, by templates_other.cu. */
void other_file(int n, float *a);

#endif
