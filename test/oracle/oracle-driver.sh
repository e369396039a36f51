# Reads lines from stdin (each ends with NUL) and runs them one at a time, each in its own bash. After each line it writes a
# mark into the log ($1). stdout: a dot for each line that has ended. The substitution ends with the last process that the
# line started, because all of them hold descriptor 99.
while IFS= read -r -d '' line; do
  : "$(exec 99>&1 >/dev/null </dev/null; exec /bin/bash -c "$line" oracle)"
  printf '\035\0' >>"$1"
  printf .
done
