# SPDX-License-Identifier: Apache-2.0
# wgmma.sh: sourced by scripts that compile lesson 06 with defaults of its way for compute capability 9.0.

# Defaults that differ from the lesson's besides WGMMA=1 and BK=64, without blanks.
wgmma_defaults="BM=128,BN=256,STAGES=4 BM=128,BN=256,STAGES=4,CLUSTER=2 BM=256,BN=128,STAGES=3,EPILOGUE=0
  BM=64,BN=192,CONSUMERS=1,EPILOGUE=1 BM=128,BN=128,BK=128,STAGES=3,CLUSTER=2,CONSUMERS=1,EPILOGUE=1 BM=128,BN=64"

wgmma_name() { # DEFAULTS: the program's name
  echo "06_wgmma_$1" | tr -d = | tr , _
}

# Prints the text of LESSON with other defaults. Fails if the lesson has no such parameter.
wgmma_source() { # LESSON NAME=VALUE,…
  text=$(cat "$1")
  for default in WGMMA=1 BK=64 $(echo "$2" | tr , ' '); do
    printf "%s\n" "$text" | grep -q "^#define ${default%%=*} " || { echo "$1 has no ${default%%=*}" >&2; return 1; }
    text=$(printf "%s\n" "$text" | sed "s/^#define ${default%%=*} [0-9]*/#define ${default%%=*} ${default#*=}/")
  done
  printf '%s\n' "$text"
}
