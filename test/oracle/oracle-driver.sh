# Runs the lines that it reads from stdin (each ends with NUL), one at a time, each in a bash of its own, and writes a mark
# behind what each has recorded in the log ($1). stdout: a dot for each line that has ended.
# The substitution ends when the last process that the line started has ended: all of them hold descriptor 99.
while IFS= read -r -d '' line; do
  : "$(exec 99>&1 >/dev/null </dev/null; exec /bin/bash -c "$line" oracle)"
  printf '\035\0' >>"$1"
  printf .
done
