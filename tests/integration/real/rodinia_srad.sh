# SPDX-License-Identifier: Apache-2.0
# Rodinia's srad (first version): speckles in an image. Its makefile has the compiler's name written in it.
kernels="main_6cae9e main_7c28cc"
workload="1000 iterations, 502 x 458"
place=openmp/srad/srad_v1 files=image_out.pgm
. "$here/rodinia.inc"
make_data() {
  mkdir -p "$1/data/srad"
  awk 'BEGIN { srand(7); print "P2\n458 502\n255"
    for (i = 0; i < 502; i++) { for (j = 0; j < 458; j++) printf "%d ", 60 + 60 * (i > 200 && i < 300) + rand() * 100; print "" } }' \
    > "$1/data/srad/image.pgm"
}
make_program() { # FLAGS C
  sed -i 's/^\tgcc/\t$(CC) $(MORE)/' makefile && make CC="$2" MORE="$1"
}
run_it() { ./srad 1000 0.5 502 458 "$threads"; }
