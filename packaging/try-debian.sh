#!/usr/bin/env bash
# Installs the Debian package in an overlay of this machine, runs it as root and as a user, removes and purges it, and compares what is
# left. Nothing of the machine changes. Needs root and the user ion-test.
# usage: packaging/try-debian.sh FILE.deb
set -euo pipefail
if [[ ${1:-} != --inside ]]; then
  (($# == 1)) || { sed -n '2,5s/^# //p' "$0" >&2; exit 1; }
  exec unshare --mount --fork --kill-child "$0" --inside "$(readlink -f "$1")"
fi
deb=$2
layers=$(mktemp -d)
trap 'umount -R "$layers/root" 2>/dev/null; umount "$layers"; rmdir "$layers"' EXIT
mount -t tmpfs tmpfs "$layers"
mkdir "$layers"/{upper,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$layers/upper,workdir=$layers/work" "$layers/root"
for folder in proc sys dev; do mount --rbind "/$folder" "$layers/root/$folder"; done
mount -t tmpfs tmpfs "$layers/root/run"
cp "$deb" "$layers/root/run/ion.deb"
in_root() { chroot "$layers/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"; }
as_user() { in_root runuser -u ion-test -- env HOME=/home/ion-test "$@"; }

# The audit log, and what ion cached for a workspace.
of_users='^\./\(root\|home/ion-test\)/\(\.ion\|\.cache/ion\)/'
# What dpkg itself writes differs after any installation.
list() { (cd "$layers/upper" && find . -not -path './var/lib/dpkg*' -not -path './var/cache*' -not -path './var/log*' \( -type f -o -type l -o -type c \) | sort); }
check() { # check WHAT COMMAND...: it must succeed
  local what=$1
  shift
  if "$@" >"$layers/out" 2>&1; then echo "ok: $what"; else
    echo "failed: $what" >&2
    cat "$layers/out" >&2
    exit 1
  fi
}
is_empty() { [[ -z $1 ]] || { echo "$1"; return 1; }; }

try='cd "$(mktemp -d)" && out=$("$0" "$@" "echo in > x; cat x; ! touch /var/tmp/../../etc/ion-was-here 2>/dev/null") && [[ $out == in && ! -e /etc/ion-was-here ]]'
check 'dpkg -i' in_root dpkg -i /run/ion.deb
for who in in_root as_user; do
  check "$who: ion run" "$who" bash -c "$try" ion run
  check "$who: ion-sh" "$who" bash -c "$try" /usr/bin/ion-sh -c
  check "$who: ion-exec" "$who" bash -c "$try" /usr/bin/ion-exec
  check "$who: ion-sandbox" "$who" ion-sandbox --version
done
check 'md5sums of dpkg' in_root dpkg --verify ion-sandbox
check 'the same version again' in_root dpkg -i /run/ion.deb
check 'ion-sh after that' as_user bash -c "$try" /usr/bin/ion-sh -c
check 'dpkg -r' in_root dpkg -r ion-sandbox
check 'nothing is left after dpkg -r' is_empty "$(list | grep -v -e "$of_users" -e '^./tmp/tmp' || true)"
check 'dpkg -P' in_root dpkg -P ion-sandbox
check 'dpkg knows nothing of it' is_empty "$(in_root dpkg-query -W -f '${Status}' ion-sandbox 2>/dev/null || true)"
echo 'left of the users:'
list | grep -e "$of_users" || true
