# SPDX-License-Identifier: Apache-2.0
# Rodinia's streamcluster: medians of a stream of points. C++; the compiler's name is in the Makefile. Its threads add to
# `lower[…]` without a lock, so that runs of two threads differ, the more so the faster they are.
check_threads=1
kernels=dist
workload="10 20 256 16384 16384 1000"
place=openmp/streamcluster files=output.txt
. "$here/rodinia.inc"
make_data() { :; }
make_program() { # FLAGS C C++
  sed -i 's/^\tg++/\t$(CXX) $(MORE)/' Makefile && make omp CXX="$3" MORE="$1"
}
run_it() { ./sc_omp 10 20 256 16384 16384 1000 none output.txt "$threads"; }
