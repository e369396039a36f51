#!/bin/bash
# Tests on a Mac that ion's seatbelt profiles mean there what the evaluator in test/sbpl says.
#
# usage: test/macos-check.sh [path to ion]        (default: bin/ion of this copy; needs git and python3)
#
# It prints one line per row: pass, FAIL, or n/a when this Mac has nothing to try it with. Every attack first runs without
# the sandbox, where it must succeed: a row that could not fail proves nothing. Exit 0 when no row failed. All files are
# made below a scratch folder in HOME, and removed. Rows marked "by hand" are at the end.
set -u
cd "$(dirname "$0")/.." || exit 1
ION=${1:-$PWD/bin/ion}
SCRATCH=$(mktemp -d "$HOME/ion-check.XXXXXX") || exit 1
SCRATCH=$(cd "$SCRATCH" && pwd -P)
trap 'rm -rf "$SCRATCH"' EXIT
WS=$SCRATCH/ws
OUT=$SCRATCH/outside
export WS OUT
passed=0 failed=0 skipped=0

fresh() {
  rm -rf "$WS" "$OUT"
  mkdir -p "$WS/sub" "$WS/.ion" "$WS/.vscode" "$WS/packages/app" "$OUT"
  echo secret > "$OUT/secret"
  cp /usr/bin/true "$OUT/program" 2>/dev/null || cp /bin/true "$OUT/program"
  echo inside > "$WS/file"
  echo '{}' > "$WS/.vscode/tasks.json"
  echo denied > "$WS/packages/app/key"
  ln -s "$OUT" "$WS/link"
  (cd "$WS" && git init -q . && mkdir -p .git/hooks && echo 'exit 0' > .git/hooks/pre-commit) > /dev/null 2>&1
}

say() { printf '%-6s %s\n' "$1" "$2"; }
pass() { passed=$((passed + 1)); say pass "$1"; }
fail() { failed=$((failed + 1)); say FAIL "$1${2:+: $2}"; }
skip() { skipped=$((skipped + 1)); say n/a "$1${2:+: $2}"; }

# Runs a command in the workspace; $OPTIONS are options of ion.
inside() { (cd "$WS" && "$ION" run ${OPTIONS:-} "$1") > "$SCRATCH/output" 2>&1; }
without() { (cd "$WS" && "$ION" run --no-sandbox "$1") > "$SCRATCH/output" 2>&1; }

# works NAME COMMAND: everyday work, which must exit with 0 inside.
works() {
  fresh
  if inside "$2"; then pass "$1"; else fail "$1" "$(tail -n 2 "$SCRATCH/output" | tr '\n' ' ')"; fi
}

# stops NAME COMMAND: an attack, which must exit with 0 outside and not inside.
stops() {
  fresh
  if ! without "$2"; then skip "$1" "does not work without a sandbox either"; return; fi
  fresh
  if inside "$2"; then fail "$1" 'it got through'; else pass "$1"; fi
}

python() { printf 'python3 - <<"END"\n%s\nEND' "$1"; }

echo "ion: $("$ION" --version); $(sw_vers -productVersion 2> /dev/null || uname -sr); $(uname -m)"

echo '--- the profile is taken at all'
fresh
if inside true; then pass 'a command runs'; else fail 'a command runs' "$(cat "$SCRATCH/output")"; fi
for network in none loopback full; do
  printf '[sandbox]\nnetwork = "%s"\n' "$network" > "$SCRATCH/$network.toml"
  OPTIONS="--config $SCRATCH/$network.toml" works "network = \"$network\" compiles" 'true'
done
OPTIONS=--read works 'read mode compiles' 'ls'

echo '--- everyday work'
works 'create, rename, link, remove' 'echo x > a && mv a b && ln b c && ln -s b d && rm a b c d 2> /dev/null; [ ! -e b ]'
works 'git commit' 'git add file && git -c user.name=a -c user.email=a@b commit -qm x && git log --oneline'
works 'git init and clone in the workspace' 'git init -q new && git clone -q new copy'
works 'temp files' 'f=$(mktemp) && echo x > "$f" && rm "$f"'
works 'here-documents' $'cat <<END\nx\nEND'
works 'pipes and process substitution' 'diff <(echo a) <(echo a) | cat'
works 'python starts' "$(python 'import ssl, multiprocessing; multiprocessing.Lock()')"
works 'a pseudo-terminal' "$(python 'import os; os.openpty()')"
works 'a unix socket of its own' "$(python 'import socket as s, os
a = s.socket(s.AF_UNIX); a.bind("s"); a.listen()
b = s.socket(s.AF_UNIX); b.connect("s")')"
works 'uname, id, date, sw_vers' 'uname -a && id && date && { ! command -v sw_vers || sw_vers; }'
if [ "$(uname)" = Darwin ]; then
  works 'the developer tools' 'xcrun --find clang && clang --version'
  works 'a C program' 'echo "int main(){return 0;}" > a.c && cc a.c -o a && ./a'
fi
command -v node > /dev/null && works 'node' 'node -e "require(\"fs\").writeFileSync(\"n\", \"x\")"'

echo '--- writes'
stops 'create a file outside' 'echo x > "$OUT/new"'
stops 'append to an outside file' 'echo x >> "$OUT/secret"'
stops 'write through a link' 'echo x > link/new'
stops 'truncate outside' ': > "$OUT/secret"'
stops 'remove outside' 'rm "$OUT/secret"'
stops 'move out' 'mv file "$OUT/file"'
stops 'move in' 'mv "$OUT/secret" .'
stops 'change the mode outside' 'chmod 600 "$OUT/secret"'
stops 'change the times outside' 'touch -t 200001010000 "$OUT/secret"'
stops 'hard-link an outside file into the workspace, and write it' 'ln "$OUT/secret" linked && echo x >> linked'
stops 'hard link a file out' 'ln file "$OUT/linked"'
stops 'rename the workspace' 'cd .. && mv ws moved'
OPTIONS=--read stops 'read mode: write' 'echo x > new'

echo '--- reads and programs'
stops 'read outside' 'cat "$OUT/secret"'
stops 'list outside' 'ls "$OUT"'
stops 'read through a link' 'cat link/secret'
stops 'list home' 'ls "$HOME"'
stops 'execute outside' '"$OUT/program"'
[ -d /System/Volumes/Data ] && stops 'read by the other name of the volume' 'cat "/System/Volumes/Data$OUT/secret"'
[ -d "$HOME/Library/Keychains" ] && stops 'list the keychains' 'ls "$HOME/Library/Keychains"'

echo '--- files that something outside runs later'
stops 'write a git hook' 'echo x > .git/hooks/pre-commit'
stops 'write the hook in upper case' '[ -e .GIT ] && echo x > .GIT/HOOKS/pre-commit'
stops 'rename the hooks folder' 'mv .git/hooks .git/h'
stops 'rename .git' 'mv .git g'
stops 'hard link a hook, and write it' 'ln .git/hooks/pre-commit h && echo x >> h'
stops 'swap the hooks folder' 'mkdir evil && mv evil .git/hooks2 && rm -r .git/hooks && mv .git/hooks2 .git/hooks'
stops 'write .vscode' 'echo x > .vscode/new'
stops 'create .envrc' 'echo x > .envrc'
stops 'create .mcp.json as a link' 'ln -s file .mcp.json'
stops 'create .CLAUDE' '[ -e .VSCODE ] && mkdir .CLAUDE'
printf '[permissions]\ndenied_paths = ["%s/packages/app/key"]\n' "$WS" > "$SCRATCH/denied.toml"
OPTIONS="--config $SCRATCH/denied.toml" stops 'move a folder with a denied path away' 'mv packages p && grep -q denied p/app/*'

echo '--- network'
server='
import socket, threading
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
socket.create_connection(s.getsockname(), 2)'
stops 'none: a server and a client' "$(python "$server")"
OPTIONS="--config $SCRATCH/loopback.toml" works 'loopback: a server and a client' "$(python "$server")"
OPTIONS="--config $SCRATCH/loopback.toml" stops 'loopback: reach the internet' 'curl -sS -m 5 -o /dev/null https://example.com'
OPTIONS="--config $SCRATCH/loopback.toml" stops 'loopback: ask a name server' "$(python 'import socket; socket.getaddrinfo("example.com", 80)')"
fresh
if without 'curl -sS -m 5 -o /dev/null https://example.com'; then
  OPTIONS="--config $SCRATCH/full.toml" works 'full: https' 'curl -sS -m 5 -o /dev/null https://example.com'
else
  skip 'full: https' 'no network here'
fi
for socket in /var/run/docker.sock "$HOME/.docker/run/docker.sock" "${SSH_AUTH_SOCK:-/nonexistent}"; do
  [ -S "$socket" ] && OPTIONS="--config $SCRATCH/full.toml" stops "connect to $socket" \
    "$(python "import socket as s; s.socket(s.AF_UNIX).connect('$socket')")"
done

echo '--- processes and services'
sleep 600 & victim=$!
stops 'signal a process outside' "kill -0 $victim"
kill "$victim"
stops 'make a set-user-id file' 'cp file u && chmod u+s u && [ -u u ]'
if [ "$(uname)" = Darwin ]; then
  stops 'Apple events' "osascript -e 'tell application \"Finder\" to get name'"
  stops 'the pasteboard' 'echo x | pbcopy && [ "$(pbpaste)" = x ]'
  stops 'launch an application' 'open -g -a TextEdit'
  stops 'the keychain' 'security list-keychains && security dump-keychain'
  stops 'launchd' 'launchctl print "gui/$(id -u)"'
fi
fresh
inside '(sleep 300 & echo $! > left); true'
left=$(cat "$WS/left" 2> /dev/null)
if [ -n "$left" ] && ! kill -0 "$left" 2> /dev/null; then pass 'a background process ends with the run'; else fail 'a background process ends with the run'; fi

echo '--- what ion says'
fresh
OPTIONS='' inside 'exit 7'; code=$?
[ $code = 7 ] && pass 'the exit code is the command'"'"'s' || fail 'the exit code is the command'"'"'s' "$code"
OPTIONS='--timeout 1s' inside 'sleep 30'; code=$?
[ $code = 124 ] && pass 'a time limit: 124' || fail 'a time limit: 124' "$code"
if [ "$(uname)" = Darwin ]; then
  (cd "$WS" && /usr/bin/sandbox-exec -p '(version 1)(allow default)' "$ION" run true) > "$SCRATCH/output" 2>&1; code=$?
  if [ $code = 125 ] && grep -q 'inside another one' "$SCRATCH/output"; then pass 'inside another sandbox: 125'; else fail 'inside another sandbox: 125' "$code"; fi
  fresh
  inside 'sleep 1; echo x > "$OUT/new"; exit 1'
  grep -q 'blocked: .*outside/new' "$SCRATCH/output" && pass 'a refusal is reported from the log' || fail 'a refusal is reported from the log'
fi

cat <<'END'
--- by hand, in a terminal
  ion run vim x         draws, and :wq saves
  ion run 'sleep 60'    Ctrl-C ends it; Ctrl-Z stops it and ion, fg goes on
  ion run 'less README.md', then resize the window
END
echo "$passed passed, $failed failed, $skipped could not be tried"
[ "$failed" = 0 ]
