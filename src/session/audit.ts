import path from 'node:path';
import {openLog, type AuditLog} from '../audit/log.ts';
import {IonError} from '../errors.ts';
import {placeOf} from '../config/origin.ts';
import type {Session} from './session.ts';

/** The user's audit log, or undefined where there is none (no home folder). Throws when it is required and cannot be. */
export function openAuditLog(
  {config, machine, host}: Session,
  warn: (text: string) => void,
): AuditLog | undefined {
  const {auditMode} = config.settings;
  const home = host.environment['HOME'];
  const append = machine.native?.addon.auditAppend;
  if (!home || !append) {
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
  return openLog({folder: path.join(home, '.ion/audit'), append, mode: auditMode.value, warn});
}
