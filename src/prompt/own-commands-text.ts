/** What /help shows. */
export const helpText = `Commands run in the sandbox as with "ion run". The folder, variables, functions, aliases and options last.
  /mode [NAME]      show or change the mode; Shift+Tab: the next one
  /permissions      rules and grants in force, and the latest decisions
  /why [ID]         explain the latest refusal
  /allow [ID]       turn a refusal of the latest command into a setting, shown first
  /trust            trust the config of this project
  jobs, fg [N]      stopped commands (Ctrl-Z); fg continues one, kill %N ends it
  history [N]       the latest lines
  exit [N], Ctrl-D  end the prompt
Keys: Tab completes, Ctrl-R searches the history, Up and Down go through it, Alt-Enter adds a line, Ctrl-C drops the line.
A line that begins with a blank is not kept in the history.
`;
