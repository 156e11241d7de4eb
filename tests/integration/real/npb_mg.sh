# SPDX-License-Identifier: Apache-2.0
# NPB's MG: multigrid on 256^3 points, with rows of rows (double ***).
kernels="psinv_[0-9a-f]* resid_[0-9a-f]* vranlc"
program=MG class=A
. "$here/npb.inc"
