/** Builtins and keywords of bash 5, as `compgen -bk` lists them, without the punctuation. */
export const bashBuiltins: readonly string[] =
  `alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs disown do done
  echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash help history if in jobs kill let
  local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test then
  time times trap true type typeset ulimit umask unalias unset until wait while`.split(/\s+/);
