import path from 'node:path';
import {openLog, type AuditLog} from '../audit/log.ts';
import {IonError} from '../errors.ts';
import {placeOf} from '../config/origin.ts';
import type {Session} from './session.ts';

/** The user's audit log, or undefined where there is none (no home folder). Throws when it is required and cannot be. */
export async function openAuditLog(
  {config, machine, host}: Session,
  warn: (text: string) => void,
): Promise<AuditLog | undefined> {
  const {auditMode} = config.settings;
  const home = host.environment['HOME'];
  if (!home) {
    if (auditMode.value === 'required') {
      throw new IonError(
        'audit.mode = "required", but there is no place for the audit log (HOME is not set)',
        {
          at: placeOf(auditMode.origin),
          help: 'set HOME, or say mode = "best-effort"',
        },
      );
    }
    return undefined;
  }
  const append = machine.native?.addon.auditAppend ?? (await import('../audit/append.ts')).appendWithoutAddon;
  return openLog({folder: path.join(home, '.ion/audit'), append, mode: auditMode.value, warn});
}
