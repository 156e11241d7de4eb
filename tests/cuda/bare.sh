# SPDX-License-Identifier: Apache-2.0
# bare.sh, sourced: a root folder with a shell, some programs, the C library and Python, and nothing else: no compiler,
# no package, no library but those that these programs need. This machine's own root lies there in /machine, for what
# stands in for a driver; nothing else looks there.

# True if roots can be made and entered here; else prints why not.
bare_possible() {
  [ "$(id -u)" = 0 ] || { echo "a root of its own needs root's rights"; return 1; }
  unshare --mount true 2> /dev/null || { echo "no file systems can be mounted here"; return 1; }
}

# bare_file ROOT FILE…: copies files to where they are here, under the names by which they are given.
bare_file() {
  local to=$1 file
  shift
  for file; do
    [ -f "$to$file" ] || install -D "$(readlink -f "$file")" "$to$file" || return
  done
}

# bare_libraries ROOT FILE…: copies the libraries that programs and libraries need.
bare_libraries() {
  local to=$1 library
  shift
  ldd "$@" 2> /dev/null | sed -n 's/^[^/]*\(\/[^ ]*\) (.*/\1/p' | sort -u | while read -r library; do
    bare_file "$to" "$library" || return
  done
}

# bare_make ROOT: the root.
bare_make() {
  local to=$1 name file python
  mkdir -p "$to"/{proc,sys,dev,machine,tmp,root,usr/{bin,sbin,lib,lib64}} || return
  for name in bin sbin lib lib64; do
    ln -s "usr/$name" "$to/$name" || return
  done
  for name in sh env timeout tar gzip grep sed cat date head tail tee sort tr wc ls mkdir mv cp rm touch dirname \
    basename readlink nproc sleep; do
    file=$(PATH=/usr/bin:/bin command -v "$name")
    install -D "$(readlink -f "$file")" "$to/usr/bin/$name" || return
    bare_libraries "$to" "$file" || return
  done
  # All of the C library and the compiler's, which each machine has.
  for name in libc libm libmvec libdl librt libpthread libresolv libstdc++ libgcc_s; do
    file=$(ldconfig -p | sed -n "s|^\s*$name\.so\.[0-9]* (.*x86-64.*=> ||p" | head -n 1)
    [ -z "$file" ] || bare_file "$to" "$file" || return
  done
  bare_file "$to" "$(readlink -f /lib64/ld-linux-x86-64.so.2)" || return
  # sys.executable, since python3 may be a script that looks for one.
  python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable), os.path.dirname(os.__file__))')
  file=${python% *} python=${python#* }
  bare_file "$to" "$file" && bare_libraries "$to" "$file" "$python"/lib-dynload/_ctypes.*.so || return
  ln -sf "$file" "$to/usr/bin/python3"
  mkdir -p "$to$python" || return
  tar -C "$python" --exclude=./test --exclude=./dist-packages --exclude=./site-packages --exclude=__pycache__ \
    --exclude=./idlelib --exclude=./tkinter --exclude='./config-*' -c . | tar -C "$to$python" -x
}

# bare_run ROOT COMMAND…: there, as root, with nothing of this environment but what comes before COMMAND (NAME=VALUE).
bare_run() {
  local to=$1
  shift
  unshare --mount --propagation private sh -c '
    mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" &&
    mount --bind / "$0/machine" && exec chroot "$0" "$@"' "$to" \
    env -i HOME=/root PATH=/usr/bin LC_ALL=C "$@"
}
