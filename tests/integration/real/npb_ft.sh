# SPDX-License-Identifier: Apache-2.0
# NPB's FT: a spectral method on 256 x 256 x 128 points, by FFTs of blocks of 16 lines.
kernels="vranlc cfftz"
program=FT class=A
. "$here/npb.inc"
