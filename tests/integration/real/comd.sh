# SPDX-License-Identifier: Apache-2.0
# CoMD, molecular dynamics (BSD): forces of Lennard-Jones and of embedded atoms, whose loops have OpenMP already. Plain
# make, with one word for the compiler: its Makefile asks the first word of CC for its version. Its sources are no package
# of Debian: bench/real.sh takes them from a folder.
kernels="ljForce_ef56b3 eamForce_24be38 eamForce_418c9e"
workload="16384 atoms of copper, 30 steps of Lennard-Jones and 20 of embedded atoms"

build_program() { # FOLDER FLAGS COMPILER…
  local folder=$1 flags=$2
  shift 2
  printf '#!/bin/sh\nexec %s "$@"\n' "$*" > "$folder/cc"
  chmod +x "$folder/cc"
  cp "$folder/src-openmp/Makefile.vanilla" "$folder/src-openmp/Makefile"
  make -C "$folder/src-openmp" CC="$(cd "$folder" && pwd)/cc" DO_MPI=OFF OPTFLAGS="-g -O5 $flags"
}

# The energies of all steps that it prints must be those of the untuned program.
check_program() { # FOLDER
  (cd "$1" && says > tuned.txt && AUTOTUNE_MODE=off says > untuned.txt && [ -s untuned.txt ] && cmp tuned.txt untuned.txt)
}

says() { # without the last columns, which are times
  { ./bin/CoMD-openmp -x 16 -y 16 -z 16 -N 30 && ./bin/CoMD-openmp -e -x 16 -y 16 -z 16 -N 20; } |
    awk 'NF == 8 && $1 ~ /^[0-9]+$/ { print $1, $2, $3, $4, $5, $6 }'
}

run_program() { # FOLDER: prints seconds, of both programs with their starts
  local TIMEFORMAT=%R
  (cd "$1" && { time says > energies.txt 2> /dev/null; } 2>&1)
}
