# SPDX-License-Identifier: Apache-2.0
# Darknet, neural networks (public domain): the matrix product that convolutions become, the matrix that they make for
# it, and pooling. Plain make, with the author's OpenMP.
version=0.0.0+git20180914.61c9d02e-2
kernels="gemm_nn im2col_cpu_[0-9a-f]* forward_maxpool_layer_[0-9a-f]*"
workload="darknet speed: one picture through tiny.cfg"

build_program() { # FOLDER FLAGS COMPILER…
  local folder=$1 flags=$2
  shift 2
  make -C "$folder" -j2 OPENMP=1 CC="$* $flags" obj libdarknet.a darknet
}

# It has no tests. A network with the weights of rand() must give the same answer for a picture as untuned.
check_program() { # FOLDER
  (cd "$1" && says > tuned.txt && AUTOTUNE_MODE=off says > untuned.txt && cmp tuned.txt untuned.txt)
}

says() { ./darknet classify cfg/tiny.cfg '' data/dog.jpg | sed '/Predicted in/d'; }

run_program() { # FOLDER: prints seconds
  (cd "$1" && ./darknet speed cfg/tiny.cfg 20) | sed -n 's/^Speed: \([0-9.]*\) sec.*/\1/p'
}
