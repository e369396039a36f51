import {autorunNames} from '../../../src/sandbox/plan/protected.ts';
import {noFeatures} from '../../../src/sandbox/matrix/features.ts';
import {enforcedBy} from '../../../src/sandbox/matrix/matrix.ts';
import {makeProfile, partsOf} from '../../../src/sandbox/macos/seatbelt-profile.ts';
import type {SeatbeltPlan} from '../../../src/sandbox/macos/seatbelt-plan.ts';
import {identities} from '../../harness/identity.ts';
import {repository} from '../../harness/package.ts';
import {may} from '../../sbpl/may.ts';
import {readProfile, type Rule} from '../../sbpl/evaluate.ts';
import type {ColumnResult, Result} from '../judge.ts';
import type {Column} from '../world.ts';
import {controls, rows, type Row} from '../table.ts';
import {home, temp, translations, work} from './translations.ts';

/** The plan of a run in `work`, a repository below a home folder, with the settings of the row. */
function planFor(row: Partial<Row>): SeatbeltPlan {
  const plan = writePlanFor(row);
  if (!row.undecided) return plan;
  const scratch = `${temp}/ion-1`;
  return {
    ...plan,
    view: [work, temp],
    write: [scratch],
    localSockets: [scratch],
    noExecute: [scratch, work, temp],
  };
}

function writePlanFor({config = '', protection}: Partial<Row>): SeatbeltPlan {
  const denied =
    /denied_paths = \["\{work\}\/([^"]+)"\]/.exec(config)?.[1] ??
    (protection === 'denied-paths' ? 'secret' : undefined);
  const git = ['hooks', 'config.worktree', 'commondir', 'info/attributes'].map((name) => `.git/${name}`);
  return {
    tag: '0'.repeat(32),
    network: /network = "loopback"/.test(config) ? 'loopback' : 'none',
    report: 'denials',
    read: [`${home}/.gitconfig`, '/private/etc/hosts'],
    view: [],
    noExecute: [],
    list: ['/private/etc'],
    write: [work, temp],
    append: [],
    localSockets: [work],
    namedSockets: [],
    protect: [...autorunNames.map(({name}) => name), ...git].map((name) => `${work}/${name}`),
    denied: denied === undefined ? [] : [{path: `${work}/${denied}`, glob: denied.includes('*')}],
  };
}

function rulesFor(plan: SeatbeltPlan): Rule[] {
  const {text, parameters} = makeProfile(plan, partsOf(repository));
  return readProfile(text, Object.fromEntries(parameters));
}

export const rowKey = ({protection, name}: Row): string => `${protection}: ${name}`;

export const seatbeltColumn: Column = {
  kernel: {
    id: 'seatbelt (evaluated)',
    about: 'profiles/macos under the evaluator of test/sbpl',
    deny: [],
    as: ['user'],
  },
  as: identities.find(({name}) => name === 'user') ?? identities[0]!,
};

/**
 * The rows of the table against an evaluation of the macOS profiles. It needs no Mac, and has not been compared with one.
 */
export function runSeatbelt(): ColumnResult {
  const said = enforcedBy({...noFeatures, seatbelt: true});
  const results = rows.map((row): Result => {
    const {level = 'not', by = ''} = said.find(({id}) => id === row.protection) ?? {};
    const translation = translations[rowKey(row)];
    if (!translation) return {row, verdict: 'nothing to try', level, by, detail: 'not translated'};
    if ('notHere' in translation)
      return {row, verdict: 'nothing to try', level, by, detail: translation.notHere};
    const rules = rulesFor(planFor(row));
    const stopped = translation.find((action) => !may(rules, action));
    if (stopped) return {row, verdict: 'held', level, by, detail: `refused: ${JSON.stringify(stopped)}`};
    return {
      row,
      verdict: level === 'enforced' ? 'broken' : 'open',
      level,
      by,
      detail: 'all of it is allowed',
    };
  });
  return {
    column: seatbeltColumn,
    results,
    failedControls: failedControls(),
  };
}

/** Everyday work, as far as a profile can affect it. */
function failedControls(): string[] {
  const rules = rulesFor(planFor({}));
  const f = `${work}/f`;
  const works = {
    'write the workspace and /tmp': [
      {do: 'create', path: f},
      {do: 'rename', path: f, to: `${work}/g`},
      {do: 'create', path: `${temp}/x`},
      {do: 'remove', path: `${temp}/x`},
    ],
    'a unix socket of its own': [
      {do: 'bind-unix', path: `${work}/s`},
      {do: 'connect-unix', path: `${work}/s`},
    ],
    'signals to its own processes': [{do: 'signal', target: 'same-sandbox'}],
    'chmod and times of its own files': [
      {do: 'chmod', path: f},
      {do: 'utimes', path: f},
    ],
    'a pseudo-terminal': [{do: 'new-pty'}],
    'threads and processes': [
      {do: 'fork'},
      {do: 'exec', path: '/bin/bash'},
      {do: 'exec', path: '/usr/bin/python3'},
    ],
  } as const satisfies Record<string, Parameters<typeof may>[1][]>;
  for (const name of Object.keys(works)) {
    if (!controls.some((control) => control.name === name))
      throw new Error(`"${name}" is no control of the table`);
  }
  return Object.entries(works).flatMap(([name, actions]) =>
    actions
      .filter((action) => !may(rules, action))
      .map((action) => `${name}: ${JSON.stringify(action)} is refused`),
  );
}
