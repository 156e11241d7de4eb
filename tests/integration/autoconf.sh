# SPDX-License-Identifier: Apache-2.0
# ./configure CC="autotune cc gcc": configure finds the same as with gcc alone.
. "$(dirname "$0")/lib.sh"
need autoconf make gcc
install_autotune

project autoconf "$work/in/project"
or_end "autoconf" autoconf
found() { grep '^#define\|^CFLAGS=\|^LIBS=\|^ac_cv_' config.log | grep -v 'ac_cv_prog\|ac_cv_env'; }
or_end "configure for gcc" ./configure CC=gcc
found > with_gcc
or_end "configure" ./configure CC="autotune cc gcc"
found > with_autotune
same "what configure finds" with_autotune with_gcc
has "CC" config.log "^CC='autotune cc gcc'"
or_end "make" make
is "answer" "$(./app)" "$answer"
tuned autoconf smooth.o
plain_file autoconf total.o
finish
