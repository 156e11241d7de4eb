# SPDX-License-Identifier: Apache-2.0
# Sourced: gets source packages of Debian without any change to the system. apt gets lists and caches of its own below
# $sources, and the system's list of sources with deb-src in place of deb.

# The options that make an apt of our own; $sources is an absolute path.
apt_own() { # APT_COMMAND…
  apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$sources/apt/parts" \
    -o Dir::State="$sources/apt/state" -o Dir::State::status=/dev/null \
    -o Dir::Cache="$sources/apt/cache" -o APT::Sandbox::User="$(id -un)" \
    -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 "$@"
}

# Both kinds of lists that apt knows: stanzas (*.sources) and lines (*.list).
own_lists() {
  local list
  mkdir -p "$sources/apt/parts" "$sources/apt/state/lists/partial" "$sources/apt/cache/archives/partial"
  for list in /etc/apt/sources.list.d/*.sources; do
    [ -f "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" > "$sources/apt/parts/${list##*/}"
  done
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$list" ] && sed -n 's/^deb\([[:space:]]\)/deb-src\1/p' "$list" > "$sources/apt/parts/${list##*/}"
  done
  return 0
}

# fetch_source PACKAGE VERSION: its files into $sources, if they are not there. Fails, with the reason in $why,
# where there is no network, no apt, or another version.
fetch_source() {
  local dsc="$sources/$1_${2#*:}.dsc"
  [ -f "$dsc" ] && return 0
  command -v apt-get > /dev/null && command -v dpkg-source > /dev/null ||
    { why="no apt-get or dpkg-source here"; return 1; }
  if [ ! -f "$sources/apt/updated" ]; then
    own_lists
    apt_own update > "$sources/apt/log" 2>&1 # complaints about one list of several do not matter
    touch "$sources/apt/updated"
  fi
  (cd "$sources" && apt_own source --download-only "$1=$2") >> "$sources/apt/log" 2>&1 && [ -f "$dsc" ] &&
    return 0
  rm -f "$sources/apt/updated" # the network may be back next time
  why="Debian's sources of $1 $2 cannot be fetched: $(tail -n 1 "$sources/apt/log")"
  return 1
}

# unpack_source PACKAGE VERSION FOLDER: with Debian's patches, without ours.
unpack_source() {
  dpkg-source --no-check -x "$sources/$1_${2#*:}.dsc" "$3" > "$sources/unpack.log" 2>&1 ||
    { cat "$sources/unpack.log"; return 1; }
}
