import {rmSync, statSync} from 'node:fs';
import path from 'node:path';
import {canonicalJson} from './canonical.ts';
import {eventSchema} from './events.ts';
import type {AppendFunction} from '../sandbox/linux/native.ts';
import {maxLogFileBytes} from './log.ts';
import {logFiles} from './read-log.ts';
import {verifyLog} from './verify-log.ts';

/** Limits for the rotated files that a log keeps: their total size, and the age of each. */
export const maxAsideBytes = 256 * 1024 * 1024;
export const maxAsideAgeMs = 180 * 24 * 60 * 60 * 1000;

export interface PruneOptions {
  readonly append: AppendFunction;
  readonly now: Date;
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
}

/**
 * Deletes the oldest files of a log that is too large or too old. Before that, a record names them and the findings of verify in
 * them, so the chain is known to start after it. If the process is stopped in between, the next prune deletes the files.
 */
export function pruneLog(folder: string, {append, now, ...limits}: PruneOptions): void {
  const files = tooMany(folder, now, limits);
  if (files.length === 0) return;
  const {records, last, broken, recovered} = verifyLog(folder, files);
  const found = broken ? [`${broken.at}: ${broken.why}`, ...recovered] : [];
  // If the chain is broken, its end is unknown. ion keeps these files as evidence.
  if (broken && !broken.mended) return;
  const event = {
    schema: eventSchema,
    type: 'log.pruned',
    time: now.toISOString(),
    run_id: null,
    files,
    records,
    through_sequence: last.sequence,
    through_hash: last.hash,
    found: found.slice(0, 20),
  };
  append(folder, [canonicalJson(event)], maxLogFileBytes, true);
  for (const file of files) rmSync(path.join(folder, file), {force: true});
}

/** The oldest files to delete, oldest first, until the remaining ones are small and young enough. */
function tooMany(
  folder: string,
  now: Date,
  {maxBytes = maxAsideBytes, maxAgeMs = maxAsideAgeMs}: Omit<PruneOptions, 'append' | 'now'>,
): string[] {
  const aside = logFiles(folder)
    .filter((name) => name !== 'audit.jsonl')
    .map((name) => ({name, stats: statSync(path.join(folder, name))}));
  let bytes = 0;
  const keeps = aside.findLastIndex(({stats}) => {
    bytes += stats.size;
    return bytes > maxBytes || now.getTime() - stats.mtimeMs > maxAgeMs;
  });
  return aside.slice(0, keeps + 1).map(({name}) => name);
}
