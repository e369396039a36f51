import {rmSync, statSync} from 'node:fs';
import path from 'node:path';
import {canonicalJson} from './canonical.ts';
import {eventSchema} from './events.ts';
import type {AppendFunction} from '../sandbox/linux/native.ts';
import {maxLogFileBytes} from './log.ts';
import {logFiles} from './read-log.ts';
import {verifyLog} from './verify-log.ts';

/** What a log keeps of the files that were put aside. */
export const maxAsideBytes = 256 * 1024 * 1024;
export const maxAsideAgeMs = 180 * 24 * 60 * 60 * 1000;

export interface PruneOptions {
  readonly append: AppendFunction;
  readonly now: Date;
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
}

/**
 * Take away the oldest files of a log that is too large or too old. First a record says which, and what was found in them: the chain
 * is then known to begin behind it. A process that is stopped in between leaves files that the next one takes away.
 */
export function pruneLog(folder: string, {append, now, ...limits}: PruneOptions): void {
  const files = tooMany(folder, now, limits);
  if (files.length === 0) return;
  const {records, last, broken, recovered} = verifyLog(folder, files);
  const found = broken ? [`${broken.at}: ${broken.why}`, ...recovered] : [];
  // Where the chain does not hold, its end is not known: these files stay as evidence.
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

/** The oldest that have to go, oldest first: all behind which the rest is small and young enough. */
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
