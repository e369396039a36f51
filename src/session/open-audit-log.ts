import {settingForms} from '../config/set-option.ts';
import path from 'node:path';
import {readdirSync} from 'node:fs';
import {attempt} from '../system/attempt.ts';
import {openLog, type AuditLog} from '../audit/log.ts';
import {isInsideRun} from '../sandbox/linux/inside-run.ts';
import type {AppendFunction} from '../sandbox/linux/native.ts';
import {IonError, quoted} from '../errors.ts';
import type {Machine} from '../sandbox/machine.ts';
import {meaningOf} from '../system/system-errors.ts';
import {locationOf} from '../config/read/origin.ts';
import type {Session} from './session.ts';

/** The user's audit log. Undefined without a home folder. Throws if the log is required and cannot be opened. */
export async function openAuditLog(
  {config, machine, host}: Session,
  warn: (text: string) => void,
): Promise<AuditLog | undefined> {
  const {auditMode} = config.settings;
  const {home} = host;
  if (!home) {
    if (auditMode.value === 'required') {
      throw new IonError(
        'audit.mode = "required", but ion has no folder for the audit log (HOME is not set)',
        {
          at: locationOf(auditMode.origin),
          help: `set HOME, or go on without the log; ${settingForms('audit.mode', 'best-effort')}`,
        },
      );
    }
    return undefined;
  }
  const append = await appendFunction(machine);
  const folder = path.join(home, '.ion/audit');
  // The home of a run is closed to an ion inside it. The outer one records what its run does.
  const warnOutside = (text: string): void => {
    if (!isInsideRun(host.packageRoot)) warn(text);
  };
  await prune(folder, append, warnOutside);
  return openLog({folder, append, mode: auditMode.value, warn: warnOutside});
}

export async function appendFunction({native}: Machine): Promise<AppendFunction> {
  return native?.addon.auditAppend ?? (await import('../audit/append.ts')).appendWithoutAddon;
}

/** Most logs are one file. Then there is nothing to prune, and no code is loaded for it. */
async function prune(folder: string, append: AppendFunction, warn: (text: string) => void): Promise<void> {
  if (!attempt(() => readdirSync(folder))?.some((name) => name.startsWith('audit-'))) return;
  const {pruneLog} = await import('../audit/prune.ts');
  try {
    pruneLog(folder, {append, now: new Date()});
  } catch (error) {
    warn(`cannot prune the audit log in ${quoted(folder)}: ${meaningOf(error)}`);
  }
}
