import type {Key, Values} from './keys.ts';
import {list, named, sourced} from './parsers.ts';
import {deniedPath, trustedPath} from './path-patterns.ts';
import {readRoot, writeRoot} from './listed-roots.ts';
import {environmentEntry, plainPath, socketPath, workspacePath} from './path-values.ts';
import {network} from './network/parse-network.ts';
import type {Parse} from './raw.ts';
import {hooks, rules} from './records.ts';
import {
  count,
  durationMs,
  durationSeconds,
  flag,
  oneOf,
  pattern,
  sandbox,
  size,
  text,
  toolchains,
  variableGlob,
  variableName,
} from './scalars.ts';

/** The parser of every key. The rest of ion works with the values that pass it. */
export const schema: {readonly [K in Key]: Parse<Values[K]>} = {
  'permissions.mode': sourced(oneOf('read', 'write')),
  'permissions.read': sourced(oneOf('table', 'kernel')),
  'permissions.sandbox': sourced(sandbox),
  'permissions.locked': sourced(flag),
  'permissions.trusted_environment': list(sourced(environmentEntry)),
  'permissions.deny_commands': list(sourced(pattern)),
  'permissions.approval': sourced(
    oneOf(
      'never',
      'ask',
      'safe',
      'auto',
      'yolo',
      'default',
      'plan',
      'accept_edits',
      'dont_ask',
      'bypass_permissions',
      'on_failure',
    ),
  ),
  'permissions.denied_paths': list(sourced(deniedPath)),
  'permissions.trusted_paths': list(sourced(trustedPath)),
  'permissions.allowed_tools': list(sourced(pattern)),
  'permissions.auto_approve_patterns': list(sourced(pattern)),
  'permissions.frame': sourced(text),
  'permissions.rules': rules,
  'sandbox.read_roots': list(readRoot),
  'sandbox.write_roots': list(writeRoot),
  'sandbox.protect': list(sourced(workspacePath)),
  'sandbox.unprotect': list(sourced(workspacePath)),
  'sandbox.workspace': sourced(oneOf('folder', 'repository')),
  'sandbox.processes': sourced(oneOf('own', 'shared')),
  'sandbox.tmp': sourced(oneOf('shared', 'private')),
  'sandbox.network': sourced(network),
  'sandbox.unix_sockets': list(sourced(socketPath)),
  'sandbox.toolchains': sourced(toolchains),
  'sandbox.report': sourced(oneOf('minimal', 'denials', 'all')),
  'sandbox.limits.timeout': sourced(durationMs),
  'sandbox.limits.memory': sourced(size),
  'sandbox.limits.processes': sourced(count),
  'sandbox.limits.open_files': sourced(count),
  'sandbox.limits.file_size': sourced(size),
  'sandbox.limits.cpu': sourced(durationSeconds),
  'sandbox.limits.disk': sourced(size),
  'environment.exclude': list(sourced(variableGlob)),
  'environment.keep': list(sourced(variableGlob)),
  'environment.set': named(variableName, sourced(text)),
  'audit.mode': sourced(oneOf('best-effort', 'required')),
  hooks,
  frames: named(pattern, sourced(plainPath)),
};

/** Lists in a key that is not one itself. */
const networkLists: readonly string[] = ['sandbox.network.allow', 'sandbox.network.deny'];

/** Reports whether `+=` adds to this key. */
export function isListKey(key: string): boolean {
  return schema[key as Key]?.shape?.type === 'array' || networkLists.includes(key);
}
