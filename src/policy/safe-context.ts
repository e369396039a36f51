import type {SafeContext} from '../shell/read-mode/safe.ts';
import type {PermissionState, ShellCommand} from './decision.ts';

/**
 * What the safe table needs of a command's surroundings. Any user may put a package into a store, so its programs count as the
 * system's only where the kernel keeps the command from writing.
 */
export function safeContext(
  {programs, storeFolders = []}: ShellCommand,
  state: PermissionState,
): SafeContext {
  const {settings, confines, cwd, workspace, systemProgramFolders} = state;
  const isConfined = settings.sandbox.value !== false && confines?.writes !== false;
  return {
    programs,
    cwd,
    workspace,
    systemProgramFolders: isConfined ? [...systemProgramFolders, ...storeFolders] : systemProgramFolders,
  };
}
