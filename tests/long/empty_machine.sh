#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# empty_machine.sh BUILD_DIR
# The tutorial on an empty Debian 12, from the packages of `make deb` to a shipped winner. debootstrap makes the system
# in a folder; apt installs there, with the sources and settings of this machine; the commands are those of
# docs/tutorial.md. The tuned program then runs in a second such system that has only libautotune0, and baked in one that
# has nothing of autotune. Prints what each step took, and the sizes. Needs root's rights, a network and 4 GB in TMPDIR (or
# /var/tmp).
export TMPDIR=${TMPDIR:-/var/tmp} # debootstrap needs a disk that may have devices and programs
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "a system of its own needs root's rights"
for program in debootstrap unshare dpkg-deb node; do
  command -v $program > /dev/null || skip "$program is not installed (debootstrap, util-linux, dpkg-dev, nodejs)"
done
unshare --mount true 2> /dev/null || skip "no file systems can be mounted here"

step() { # WHAT COMMAND…: prints the seconds that COMMAND took; ends the test if it fails
  local what=$1 began
  began=$(date +%s.%N)
  shift
  "$@" > log 2>&1 || { echo "FAILED: $what"; tail -n 40 log; failed=$((failed + 1)); result "$what failed"; }
  printf '%8.1f s  %s\n' "$(awk "BEGIN { print $(date +%s.%N) - $began }")" "$what"
}
# within SYSTEM COMMAND…: runs it there as root, with /proc and /sys as on a machine. The mounts are of this process alone.
within() {
  local system=$1
  shift
  unshare --mount --propagation private sh -c '
    mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && exec chroot "$0" "$@"' "$work/$system" \
    env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}
install() { # SYSTEM PACKAGE…: from files, as README.md says, and what they need from the mirror
  local system=$1
  shift
  mkdir -p "$system/root/build" && cp -- "$@" "$system/root/build" || return
  within "$system" sh -c 'cd /root && apt-get install -q -y ./build/*.deb'
}
megabytes() { du -smx "$1" | cut -f1; }
size() { printf '%8d MB %s\n' "$1" "$2"; }
expect() { # WHAT FILE PATTERN
  grep -q -e "$3" "$2" || { echo "FAILED: $1"; cat "$2"; failed=$((failed + 1)); }
}

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
[ -n "$mirror" ] || skip "apt has no mirror of Debian 12 here"
apt-get -q -o Debug::NoLocking=1 --print-uris download hello > /dev/null 2>&1 || skip "apt knows no packages here: apt-get update"
eval "$(apt-config shell proxy Acquire::http::Proxy)"
began=$(date +%s)
http_proxy=${proxy:-${http_proxy:-}} debootstrap --variant=minbase bookworm bare "$mirror" > log 2>&1 || {
  grep -q 'Failed getting release file\|Couldn.t download' log && skip "the mirror cannot be reached: $(tail -n 1 log)"
  tail -n 20 log
  skip "debootstrap does not work here"
}
printf '%8.1f s  %s\n' $(($(date +%s) - began)) "debootstrap: an empty Debian 12"
rm -rf bare/etc/apt
cp -rL /etc/apt bare/etc
cp /etc/resolv.conf /etc/hosts bare/etc
mkdir -p bare/usr/share/keyrings
cp -n /usr/share/keyrings/* bare/usr/share/keyrings 2> /dev/null
step "apt-get update" within bare apt-get update -q
size "$(megabytes bare)" "the empty system"
cp -a bare target
cp -a bare developer

mkdir packages
step "the packages" sh "$root/cmake/deb.sh" "$build" packages
sed 's|.*/\(.*\)_[^_]*_[^_]*: \(.*\)|            \1: \2|' log
step "install all four of them" install developer packages/*.deb
size $(($(megabytes developer) - $(megabytes bare))) "installed with all that they need"

# The tutorial, in that system. Its last section changes the kernel; here it is changed back, and its winner is known.
mkdir developer/root/tutorial
tutorial() {
  WITHIN="chroot $work/developer /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin LC_ALL=C.UTF-8 bash" \
    unshare --mount --propagation private sh -c \
    'mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && exec "$@"' "$work/developer" \
    node "$root/tests/docs/tutorial.js" "$root/docs/tutorial.md" "$work/developer/root/tutorial" /root/tutorial
}
step "the tutorial's commands" tutorial
sed 's/^/            /' log
user() { within developer sh -c "cd /root/tutorial && { $1; }"; }
step "the shipped program" user 'sed -i "s/ \* 1\.0;/;/" covariance.c &&
  autotune cc gcc -O3 -march=native covariance.c -lm -o covariance'
step "baked" user 'autotune bake covariance.c --wisdom covariance.wisdom -o baked.c -- -O3 -march=native &&
  gcc -O3 -march=native -fopenmp baked.c -lm -o baked && gcc -O3 -march=native -w covariance.c -lm -o plain'

# Shipped: the program, its wisdom, and the folder in which the tutorial has compiled the winner once.
ship() { # SYSTEM FILE…
  local system=$1
  shift
  mkdir -p "$system/root/shipped"
  (cd developer/root/tutorial && cp -a "$@" "$work/$system/root/shipped")
}
right() { # WHAT FILE: three calls, each with the right answer; prints the last one's time
  [ "$(grep -c '^call [123]: .* s, right$' "$2")" = 3 ] || { echo "FAILED: $1"; cat "$2"; failed=$((failed + 1)); }
  sed -n "s/^call 3: \(.*\), .*/            $1: \1 a call/p" "$2"
}
ship bare baked plain
step "the program without autotune" within bare sh -c 'cd /root/shipped && ./plain'
right plain log
step "baked, where nothing of autotune is installed" within bare sh -c 'cd /root/shipped && ./baked'
right baked log
step "install libautotune0" install target packages/libautotune0_*.deb
size $(($(megabytes target) - $(megabytes bare))) "installed with all that it needs"
expect "libautotune0 alone" <(within target dpkg-query -W -f '${Package} ${db:Status-Status}\n' 'libautotune*' 'autotune*' \
  'libllvm*' 'clang*' 2> /dev/null | grep -c ' installed$') '^1$'
ship target covariance covariance.wisdom elsewhere
step "the winner, with libautotune0 alone" within target sh -c 'cd /root/shipped && LD_DEBUG=files AUTOTUNE_MODE=locked \
  AUTOTUNE_WISDOM=covariance.wisdom AUTOTUNE_CACHE=/root/shipped/elsewhere ./covariance'
right shipped log
expect "its code is loaded" log 'file=/root/shipped/elsewhere/objects/[0-9a-f]*\.so .*dynamically loaded'
result "a shipped winner from an empty machine"
