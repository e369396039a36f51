import type {Key} from './keys.ts';

/**
 * One line for each key, as an editor shows it (json-schema.ts). docs/config.md has the full meaning and examples.
 */
export const keyDescriptions: {readonly [K in Key]: string} = {
  'permissions.mode': 'read: only safe commands run, and nothing is written. write: the default.',
  'permissions.read':
    'Which programs read mode runs. table: safe commands, and no file of the workspace. kernel: any program, with nothing writable.',
  'permissions.sandbox':
    'true, false, or "require": refuse to run where the boundary is not fully enforced. { require = ["writes"] } names the protections that must hold: the ids that "ion doctor" prints.',
  'permissions.locked':
    'true: layers above this one may only tighten, and ion asks no questions. Only in ~/.ion/config.toml and /etc/ion/config.toml; the default in the latter.',
  'permissions.trusted_environment':
    'Files, profiles and hashes that ION_CONFIG, ION_PROFILE and ION_TRUST_PROJECT may name and that may loosen.',
  'permissions.deny_commands':
    'Globs of commands that never run. "*" matches any characters, also spaces and slashes.',
  'permissions.approval':
    'The row of the approval table: which actions ask the user. never: the mode and the sandbox decide.',
  'permissions.denied_paths': 'Paths and patterns that no command reads or writes.',
  'permissions.trusted_paths': 'Workspaces whose configuration may loosen without "ion trust".',
  'permissions.allowed_tools': 'Tools that run without asking.',
  'permissions.auto_approve_patterns': 'Globs of commands that run without asking.',
  'permissions.frame': 'The active frame. Default: the frame that contains the current directory.',
  'permissions.rules': 'Rules that allow, ask or deny a tool, a path, a command prefix or an MCP server.',
  'sandbox.read_roots':
    'Folders and files that commands may read, besides the system, the workspace and toolchains.',
  'sandbox.write_roots':
    'Folders that commands may write, besides the workspace, its git folder and the temp folder.',
  'sandbox.protect': 'Files of the workspace that commands must not change, besides the defaults.',
  'sandbox.unprotect': 'Default protected files that commands may change.',
  'sandbox.workspace': 'folder: the current folder. repository: the top of the repository that contains it.',
  'sandbox.processes':
    'own: commands see only processes of their own run, where a PID namespace can be had. shared: those of the machine.',
  'sandbox.tmp': 'shared: /tmp. private: a fresh folder for each run, as TMPDIR.',
  'sandbox.network':
    'none, loopback (servers of the run itself), full, or a table: allow lists the names that may be reached.',
  'sandbox.unix_sockets': 'Unix sockets of other processes that commands may connect to.',
  'sandbox.toolchains': '"auto", or the presets whose folders and caches commands may use.',
  'sandbox.report':
    'minimal: report executions and network. denials: also refused writes. all: also refused reads.',
  'sandbox.limits.timeout': 'How long a run may take: "500ms", "30s", "10m", or a number of seconds.',
  'sandbox.limits.memory': 'Memory of the whole run: "4G", "512M", or a number of bytes.',
  'sandbox.limits.processes': 'Processes of a run at the same time.',
  'sandbox.limits.open_files': 'Open files of one process.',
  'sandbox.limits.file_size': 'The size of one file: "1G".',
  'sandbox.limits.cpu': 'Processor time: "30s".',
  'sandbox.limits.disk': 'Disk space that a run may take: "2G".',
  'environment.exclude': 'Globs of environment variables that commands do not get.',
  'environment.keep': 'Exceptions to exclude.',
  'environment.set': 'Environment variables that every command gets.',
  'audit.mode': 'best-effort, or required: refuse to run without the log.',
  hooks: 'Commands that run on events: PreToolUse, PostToolUse, SessionStart, Stop, PreCompact.',
  frames: 'Named folders. A write into a frame that is not active always asks.',
};
