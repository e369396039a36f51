# The same in read mode, after the variables that restrict programs to reading have become readonly.
. "${BASH_SOURCE[0]%/*}/read-mode.bash"
if builtin mapfile -d '' -u 198 ion_script 2>/dev/null; then
  exec 198<&-
  builtin eval "${ion_script[0]}" 2>/dev/null
fi
