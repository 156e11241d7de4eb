# SPDX-License-Identifier: Apache-2.0
# Rodinia's lud: LU factorisation in blocks. Make, CC and RELEASE_CFLAGS. It compares its own result where it is asked to (-v).
kernels=lud_omp
workload="-s 4096"
place=openmp/lud/omp files=
. "$here/rodinia.inc"
make_data() { :; }
make_program() { make CC="$2" RELEASE_CFLAGS="-Wall -O3 $1"; }
run_it() { ./lud_omp -n "$threads" -s 4096; }
check_program() { # FOLDER: `key` says that this size is the same problem
  (cd "$1/$place" && ./lud_omp -n "$threads" -s 512 -v > check.out && ! grep dismatch check.out)
}
