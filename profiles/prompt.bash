# bash reads this file before a command of ion's prompt (BASH_ENV). Descriptor 198 holds the script that restores the state of
# the commands before it. Shells that this one starts have no such descriptor.
if builtin mapfile -d '' -u 198 ion_script 2>/dev/null; then
  exec 198<&-
  builtin eval "${ion_script[0]}" 2>/dev/null
fi
