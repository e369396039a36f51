import type {SafeContext} from '../shell/read-mode/safe.ts';
import type {PermissionState, ShellCommand} from './decision.ts';

/**
 * The facts about a command's environment that the safe table needs. Any user may add a package to a store. So its programs count
 * as the system's only if the kernel keeps the command from writing.
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
