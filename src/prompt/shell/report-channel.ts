import {closeSync} from 'node:fs';
import type {Addon} from '../../sandbox/linux/native.ts';
import {maxReportBytes} from './shell-report.ts';

/**
 * A socket on which a sandboxed bash reports. ion reads everything that arrives, so that bash never waits, and drops the part
 * beyond the limit.
 */
export interface ReportChannel {
  /** The end for the command. */
  readonly theirs: number;
  /** The command has started, or could not: only its processes hold their end now. */
  handedOver(): void;
  /** The whole report, once no process holds the other end. */
  readonly bytes: Promise<Buffer>;
}

export function openReportChannel(addon: Pick<Addon, 'channel' | 'follow'>): ReportChannel {
  const [ours, theirs] = addon.channel();
  const pieces: Buffer[] = [];
  let size = 0;
  const bytes = new Promise<Buffer>((resolve) => {
    addon.follow(
      ours,
      (piece) => {
        if (piece) {
          size += piece.length;
          if (size <= 2 * maxReportBytes) pieces.push(piece);
          else pieces.length = 0;
          return;
        }
        closeSync(ours);
        resolve(Buffer.concat(pieces));
      },
      // In large pieces: bash writes each line by itself, and ion needs only the whole.
      true,
    );
  });
  return {theirs, handedOver: () => closeSync(theirs), bytes};
}
