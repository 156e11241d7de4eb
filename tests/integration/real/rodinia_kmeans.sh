# SPDX-License-Identifier: Apache-2.0
# Rodinia's kmeans: clusters of points. Make, CC and CC_FLAGS. It prints no result.
kernels=find_nearest_point
workload="60000 points of 34 numbers, 16 clusters"
place=openmp/kmeans/kmeans_openmp files=
. "$here/rodinia.inc"
make_data() {
  awk 'BEGIN { srand(7); for (i = 0; i < 60000; i++) { printf "%d", i; for (j = 0; j < 34; j++) printf " %.3f", rand() * 8; print "" } }' > points
}
make_program() { make CC="$2" CC_FLAGS="-g -fopenmp -O2 $1"; }
run_it() { ./kmeans -n "$threads" -k 16 -i points; }
check_program() { (cd "$1/$place" && run_it > check.out && grep -q "number of Clusters 16" check.out); }
