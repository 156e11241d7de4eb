# SPDX-License-Identifier: Apache-2.0
# NPB's LU: a three-dimensional flow by lower and upper triangular blocks, 33^3 points.
kernels="rhs ssor_[0-9a-f]*"
program=LU class=W
. "$here/npb.inc"
