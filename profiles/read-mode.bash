# bash reads this file before a command in ion's read mode (BASH_ENV). Here the variables that restrict programs to reading
# become readonly. The supervisor checks the same variables at each execution; this file also works without a supervisor.
readonly BASH_ENV ENV PATH EDITOR VISUAL BROWSER LESSOPEN LESSCLOSE
readonly LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH GCONV_PATH RIPGREP_CONFIG_PATH TAR_OPTIONS
readonly GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM
readonly GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND
readonly PYTHONPATH PYTHONHOME PYTHONSTARTUP PERL5LIB PERL5OPT RUBYLIB RUBYOPT NODE_OPTIONS NODE_PATH
readonly JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS
# Not the pagers, and other variables that a command may set to the value that they have: `GIT_PAGER=cat git log`. The
# expansion needs no quotes: it gives only names.
for GIT_ in ${!GIT_@}; do
  case $GIT_ in GIT_ | GIT_PAGER | GIT_OPTIONAL_LOCKS | GIT_TERMINAL_PROMPT) ;; *) readonly "$GIT_" ;; esac
done
unset GIT_
