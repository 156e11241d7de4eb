# SPDX-License-Identifier: Apache-2.0
# llama2.c, a language model (MIT), its runq, whose weights are int8: products of a matrix and a vector. Its run, with
# weights of float, waits for memory, and gains nothing. Its sources are no package of Debian: bench/real.sh takes them
# from a folder. The author's `make runomp`, and as native his `runomp` once more, because that has -march=native.
kernels=matmul
workload="runq with random weights in the shape of stories110M, 60 tokens"
here_llama2=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

build_program() { # FOLDER FLAGS COMPILER…
  local folder=$1 flags=$2
  shift 2
  make -C "$folder" runomp CC="$* $flags" && gcc -O2 "$here_llama2/llama2_model.c" -o "$folder/model" &&
    "$folder/model" "$folder/model.bin"
}

# The words that the most likely tokens stand for; they must be those of the untuned program.
check_program() { # FOLDER
  (cd "$1" && says > tuned.txt && AUTOTUNE_MODE=off says > untuned.txt && [ -s untuned.txt ] &&
    cmp tuned.txt untuned.txt)
}

says() { ./runq model.bin -t 0 -s 1 -n 60 2> /dev/null; }

run_program() { # FOLDER: prints seconds
  local TIMEFORMAT=%R
  (cd "$1" && { time says > words.txt; } 2>&1)
}
