# SPDX-License-Identifier: Apache-2.0
# NPB's BT: a three-dimensional flow by lines of 5 x 5 blocks, 24^3 points.
kernels="binvcrhs"
program=BT class=W
. "$here/npb.inc"
