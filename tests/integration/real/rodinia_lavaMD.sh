# SPDX-License-Identifier: Apache-2.0
# Rodinia's lavaMD: forces between particles in neighbouring boxes. Make; the compiler's name stands in C_C.
kernels=kernel_cpu_c227f9
workload="-boxes1d 10"
place=openmp/lavaMD
. "$here/rodinia.inc"
make_data() { :; }
make_program() { make OUTPUT=1 C_C="$2 $1"; }
run_it() { ./lavaMD -cores "$threads" -boxes1d 10; }

# Its particles are new in each second, so only the means of the forces are the same.
check_program() { # FOLDER
  (cd "$1/$place" && AUTOTUNE_MODE=off run_it > /dev/null && mv result.txt untuned && run_it > /dev/null &&
    awk -F, 'FNR == 1 { f++ }
      { for (i = 1; i <= 4; i++) s[f, i] += $i; n[f]++ }
      END { d = s[1, 1] / s[2, 1] - 1
            for (i = 2; i <= 4; i++) if ((s[1, i] - s[2, i]) ^ 2 > (0.01 * s[1, 1]) ^ 2) bad = 1
            exit n[1] != n[2] || n[1] == 0 || d ^ 2 > 0.01 ^ 2 || bad }' untuned result.txt)
}
