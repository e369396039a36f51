// `npm run corpus [-- setting|row words ...]`: runs every row in every setting. --slowest shows which rows take the most
// time.
import {runCorpus} from './corpus.ts';
import {failures, report, type SettingResult} from './report.ts';
import {rows} from './rows.ts';
import {settings} from './settings.ts';

const args = process.argv.slice(2);
const valueOf = (name: string): string | undefined =>
  args.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
const wantedSetting = valueOf('--setting');
const text = valueOf('--row');

const results: SettingResult[] = [];
for (const setting of settings.filter(({name}) => wantedSetting === undefined || wantedSetting === name)) {
  process.stderr.write(`${setting.name}\n`);
  const chosen = rows.filter(
    ({command, project}) => text === undefined || command.includes(text) || project === text,
  );
  results.push({setting, compared: await runCorpus(setting, chosen)});
}
process.stdout.write(report(results));
if (args.includes('--slowest')) {
  const slowest = results
    .flatMap(({compared}) => compared)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 60);
  for (const {row, ms} of slowest) process.stdout.write(`${ms} ms: ${row.project}: ${row.command}\n`);
}
process.exitCode = results.some((result) => failures(result).length > 0) ? 1 : 0;
