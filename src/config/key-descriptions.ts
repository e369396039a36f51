import type {Key} from './keys.ts';

/** One line for each key, as an editor shows it (json-schema.ts). Meaning and examples: the README's reference. */
export const keyDescriptions: {readonly [K in Key]: string} = {
  'permissions.mode': 'read: only safe commands start and nothing is written. write: the default.',
  'permissions.read':
    'What read mode starts. table: safe commands, with nothing of the workspace executed. kernel: any program, nothing writable.',
  'permissions.sandbox': 'true, false, or "require": a boundary that is not whole means that nothing runs.',
  'permissions.locked':
    'true: all layers above this one only tighten, and nothing is asked. In ~/.ion/config.toml and /etc/ion/config.toml only; there it is the default.',
  'permissions.trusted_environment':
    'Files, profiles and hashes that ION_CONFIG, ION_PROFILE and ION_TRUST_PROJECT may name with full effect.',
  'permissions.deny_commands':
    'Globs of commands that never run. "*" is any run of characters, spaces and slashes too.',
  'permissions.approval':
    'The row of the approval table: who is asked about what. never: the mode and the sandbox decide.',
  'permissions.denied_paths': 'Paths and patterns that no command reads or writes.',
  'permissions.trusted_paths': 'Workspaces whose configuration may loosen without "ion trust".',
  'permissions.allowed_tools': 'Tools that never ask.',
  'permissions.auto_approve_patterns': 'Globs of commands that never ask.',
  'permissions.frame': 'The active frame. The default is the frame that contains the current directory.',
  'permissions.rules':
    'Rules: allow, ask or deny for a tool, a path, the beginning of a command, or an MCP server.',
  'sandbox.read_roots':
    'Folders and files that commands read, beyond the system, the workspace and toolchains.',
  'sandbox.write_roots':
    'Folders that commands write, beyond the workspace, its git folder and the temp folder.',
  'sandbox.protect': 'Files of the workspace that commands must not change, beyond the defaults.',
  'sandbox.unprotect': 'Files of the defaults that commands may change.',
  'sandbox.tmp': 'shared: /tmp. private: a fresh folder for each run, as TMPDIR.',
  'sandbox.network': 'none, loopback (servers of the run itself), or full.',
  'sandbox.unix_sockets': 'Unix sockets outside that commands may connect to.',
  'sandbox.toolchains': '"auto", or the presets whose folders and caches are opened.',
  'sandbox.report': 'minimal: executions and network. denials: refused writes too. all: refused reads too.',
  'sandbox.limits.timeout': 'How long a run may take: "500ms", "30s", "10m", or a number of seconds.',
  'sandbox.limits.memory': 'Memory of the whole run: "4G", "512M", or a number of bytes.',
  'sandbox.limits.processes': 'Processes of a run at one time.',
  'sandbox.limits.open_files': 'Open files of one process.',
  'sandbox.limits.file_size': 'The size of one file: "1G".',
  'sandbox.limits.cpu': 'Processor time: "30s".',
  'sandbox.limits.disk': 'Disk space that a run may take: "2G".',
  'environment.exclude': 'Globs of variables that commands do not get.',
  'environment.keep': 'Exceptions from exclude.',
  'environment.set': 'Variables that every command gets.',
  'audit.mode': 'best-effort, or required: without the log nothing runs.',
  hooks: 'Commands that run at events: PreToolUse, PostToolUse, SessionStart, Stop, PreCompact.',
  frames: 'Named folders. A write into a frame that is not active always asks.',
};
