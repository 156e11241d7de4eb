# SPDX-License-Identifier: Apache-2.0
# node.sh BUILD SCRIPT ARGS…: a script of this folder, run by Node.
command -v node > /dev/null || { echo "skipped: there is no node"; exit 77; }
exec node "$(dirname "$0")/$2" "${@:3}"
