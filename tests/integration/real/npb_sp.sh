# SPDX-License-Identifier: Apache-2.0
# NPB's SP: a three-dimensional flow by lines of scalar pentadiagonal systems, 36^3 points.
kernels="[xy]_solve txinvr_[0-9a-f]* tzetar_[0-9a-f]* add_[0-9a-f]*"
program=SP class=W
. "$here/npb.inc"
