import {type Compared, Place} from './compare.ts';
import {programsFor} from './programs.ts';
import {projects} from './projects.ts';
import type {Row} from './row.ts';
import type {Setting} from './settings.ts';

/** Runs rows in one setting, several at a time. Each has its own folder. Returns the results in the order of the rows. */
export async function runCorpus(setting: Setting, rows: readonly Row[], parallel = 2): Promise<Compared[]> {
  const programs = programsFor(setting.as, [...new Set(rows.flatMap(needsOf))]);
  const compared: Compared[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    const place = new Place(setting);
    try {
      for (let at = next++; at < rows.length; at = next++) {
        const row = rows[at]!;
        const missing = needsOf(row).filter((name) => !programs.has(name));
        compared[at] =
          missing.length > 0
            ? {row, verdict: 'skipped', whys: [], details: missing, ms: 0}
            : await place.compare(row);
      }
    } finally {
      place.close();
    }
  };
  await Promise.all(Array.from({length: parallel}, worker));
  return compared;
}

const needsOf = ({project, needs = []}: Row): string[] => [...projects[project].needs, ...needs];
