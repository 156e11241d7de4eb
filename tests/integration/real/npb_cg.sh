# SPDX-License-Identifier: Apache-2.0
# NPB's CG: the smallest eigenvalue of a sparse matrix of 14000 rows by conjugate gradients.
kernels="conj_grad_[0-9a-f]*"
program=CG class=A
. "$here/npb.inc"
