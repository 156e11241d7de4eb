/* SPDX-License-Identifier: Apache-2.0 */
#define matrix(name, n) name[restrict n][n]
extern int k, sizes[2];
void change(void);
