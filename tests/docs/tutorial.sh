# SPDX-License-Identifier: Apache-2.0
# Runs the commands of docs/tutorial.md. See tutorial.js; AUTOTUNE_UPDATE=1 writes the output into the page.
here=$(realpath "$(dirname "$0")")
. "$here/../e2e/cc_lib.sh"
command -v node > /dev/null || { echo "skipped: there is no node"; exit 77; }
unset AUTOTUNE_MODE AUTOTUNE_CACHE AUTOTUNE_BUDGET AUTOTUNE_LOG XDG_CACHE_HOME
export HOME=$work/home
mkdir "$HOME" tutorial
check "the tutorial" node "$here/tutorial.js" "$here/../../docs/tutorial.md" tutorial
finish
