#!/bin/sh
# Installs ion from this tarball. usage: ./install.sh [prefix]   default: /usr/local
set -eu
prefix=${1:-/usr/local}
from=$(cd "$(dirname "$0")" && pwd)
node=$(command -v node) || { echo 'ion: Node 20 or newer is needed' >&2; exit 1; }
mkdir -p "$prefix/lib" "$prefix/bin"
rm -rf "$prefix/lib/ion-sandbox"
cp -R "$from" "$prefix/lib/ion-sandbox"
"$node" "$prefix/lib/ion-sandbox/native/finish.mjs"
for name in ion ion-sh ion-exec; do ln -sf "../lib/ion-sandbox/bin/$name" "$prefix/bin/$name"; done
ln -sf ../lib/ion-sandbox/bin/ion "$prefix/bin/ion-sandbox"
