# SPDX-License-Identifier: Apache-2.0
# Rodinia's cfd (euler3d_cpu): Euler's equations on cells with four neighbours. C++; the compiler's name is in the makefile.
kernels=compute_flux
workload="1000 iterations of its 2000, 16384 cells"
place=openmp/cfd files="density momentum density_energy"
. "$here/rodinia.inc"
make_data() { # a square with a wall on one side
  awk 'BEGIN { n = 128; print n * n
    for (y = 0; y < n; y++) for (x = 0; x < n; x++) { i = y * n + x + 1
      w = x > 0 ? i - 1 : -2; e = x < n - 1 ? i + 1 : -2; s = y > 0 ? i - n : x > n / 4 && x < 3 * n / 4 ? 0 : -2
      printf "%g %d -1 0 0 %d 1 0 0 %d 0 -1 0 %d 0 1 0\n", 1 + (x * 7 + y * 3) % 5 / 50, w, e, s, y < n - 1 ? i + n : -2 } }' > mesh
}
make_program() { # FLAGS C C++
  sed -i 's/^\tg++/\t$(CXX) $(MORE)/' makefile && sed -i 's/^\(#define iterations\) 2000/\1 1000/' euler3d_cpu.cpp && make euler3d_cpu CXX="$3" MORE="$1"
}
run_it() { OMP_NUM_THREADS=$threads ./euler3d_cpu mesh; }
