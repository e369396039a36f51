import type {Compared} from './compare.ts';
import type {Setting} from './settings.ts';

export interface SettingResult {
  readonly setting: Setting;
  readonly compared: readonly Compared[];
}

const verdicts = ['same', 'explained', 'unexplained', 'explained for nothing', 'skipped'] as const;

/** Counts for each setting, then the unexplained differences, then each reason once. */
export function report(results: readonly SettingResult[]): string {
  const head = ['setting', 'mode', ...verdicts];
  const body = results.flatMap(({setting, compared}) =>
    (['write', 'read'] as const).map((mode) => {
      const ofMode = compared.filter(({row}) => row.mode === mode);
      return [
        setting.name,
        mode,
        ...verdicts.map((one) => ofMode.filter(({verdict}) => verdict === one).length),
      ];
    }),
  );
  const table = [head, head.map(() => '---'), ...body].map((line) => `| ${line.join(' | ')} |`);
  return [...table, '', ...results.flatMap(failures), ...reasons(results), ...skips(results), ''].join('\n');
}

export function failures({setting, compared}: SettingResult): string[] {
  return compared
    .filter(({verdict}) => verdict === 'unexplained' || verdict === 'explained for nothing')
    .map(({row, verdict, details}) =>
      [`${verdict} (${setting.name}, ${row.project}): ${row.command}`, ...shorten(details)].join('\n'),
    );
}

function shorten(details: readonly string[]): string[] {
  const more = details.length - 8;
  return [...details.slice(0, 8), ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `    ${line}`);
}

function reasons(results: readonly SettingResult[]): string[] {
  const commands = new Map<string, Set<string>>();
  for (const {row, verdict, whys} of results.flatMap(({compared}) => compared)) {
    if (verdict !== 'explained') continue;
    for (const why of whys) commands.set(why, (commands.get(why) ?? new Set()).add(row.command));
  }
  return [...commands].flatMap(([why, list]) => [
    '',
    `differs: ${why}`,
    ...[...list].map((one) => `    ${one}`),
  ]);
}

export function skips(results: readonly SettingResult[]): string[] {
  const missing = results.flatMap(({setting, compared}) =>
    compared
      .filter(({verdict}) => verdict === 'skipped')
      .flatMap(({details}) => details.map((name) => `skipped (${setting.name}): no ${name}`)),
  );
  return [...new Set(missing)];
}
