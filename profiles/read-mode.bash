# Read by bash before a command of ion's read mode (BASH_ENV): what keeps programs to reading is not to be changed.
# The supervisor looks at the same variables again, wherever a program is executed; here they hold without one too.
readonly BASH_ENV ENV PATH EDITOR VISUAL BROWSER LESSOPEN LESSCLOSE
readonly LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH GCONV_PATH RIPGREP_CONFIG_PATH TAR_OPTIONS
readonly GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM
readonly GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND
readonly PYTHONPATH PYTHONHOME PYTHONSTARTUP PERL5LIB PERL5OPT RUBYLIB RUBYOPT NODE_OPTIONS NODE_PATH
readonly JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS
# Not the pagers and what else may be given the value that it has: `GIT_PAGER=cat git log`. Without quotes nothing is split: names only.
for GIT_ in ${!GIT_@}; do
  case $GIT_ in GIT_ | GIT_PAGER | GIT_OPTIONAL_LOCKS | GIT_TERMINAL_PROMPT) ;; *) readonly "$GIT_" ;; esac
done
unset GIT_
