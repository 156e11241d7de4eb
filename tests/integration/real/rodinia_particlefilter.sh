# SPDX-License-Identifier: Apache-2.0
# Rodinia's particlefilter: tracks an object in a video. Its Makefile has the compiler's name written in it. Its seeds are
# the time, so only its end is checked; the runtime compares the kernel's outputs.
kernels=findIndex
workload="10 frames of 128 x 128, 40000 particles"
place=openmp/particlefilter files=
. "$here/rodinia.inc"
make_data() { :; }
make_program() { # FLAGS C
  sed -i 's/^\tgcc/\t$(CC) $(MORE)/' Makefile && make openmp CC="$2" MORE="$1"
}
run_it() { ./particle_filter -x 128 -y 128 -z 10 -np 40000; }
check_program() { (cd "$1/$place" && run_it > check.out && grep -q "ENTIRE PROGRAM TOOK" check.out); }
