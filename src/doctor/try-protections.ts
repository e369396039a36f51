import type {Machine} from '../sandbox/machine.ts';
import {enforcedBy, type Enforced, type ProtectionId} from '../sandbox/matrix/matrix.ts';
import {promiseOf} from '../sandbox/matrix/promises.ts';
import type {Connections} from '../sandbox/launch.ts';
import type {Enforcement} from '../sandbox/matrix/ways.ts';
import type {Host, Session} from '../session/session.ts';
import {openScratch} from './scratch.ts';
import {attacksOn, tryAll, type Bench, type Finding} from './try-attacks.ts';

/** A protection with its promise, and the result of the attacks on it. */
export interface Row extends Enforced, Finding {
  readonly promise: string;
}

interface Apart {
  readonly ids: readonly [ProtectionId, ...ProtectionId[]];
  readonly config: string;
  /** The levels of the first protection at which ion starts such a run. At any other level ion refuses to start it. */
  readonly kept: readonly Enforcement[];
  /** Why the attack is not tried at other levels. */
  readonly why?: string;
  /** What a run of the first protection says of itself, for the report. */
  readonly note?: (session: Session) => Promise<string | undefined>;
}

const openings: Readonly<Record<Connections, string>> = {
  exact: 'connections open exactly as outside',
  'accepted first':
    'connections are accepted first here: a server that refuses shows as a connection that is reset',
};

async function openingOf(session: Session): Promise<string | undefined> {
  const running = await session.start(':', {stdio: ['ignore', 'ignore', 'ignore']});
  const {connections} = await running.outcome;
  return connections && openings[connections];
}

/** Protections that only their own config turns on. If the machine cannot enforce one, ion refuses to start such a run. */
const apart: readonly Apart[] = [
  {ids: ['loopback', 'loopback-own', 'loopback-unshared'], config: 'loopback.toml', kept: ['enforced']},
  {
    ids: ['network-names', 'network-server-names', 'network-local'],
    config: 'names.toml',
    kept: ['enforced'],
    note: openingOf,
  },
  {
    ids: ['read-exec', 'read-mapped', 'read-programs'],
    config: 'read.toml',
    kept: ['enforced', 'best effort', 'not'],
  },
  {ids: ['private-temp'], config: 'private.toml', kept: ['enforced', 'best effort', 'not']},
  {ids: ['denied-paths'], config: 'denied.toml', kept: ['enforced', 'best effort']},
  {ids: ['denied-paths-new'], config: 'denied-new.toml', kept: ['enforced', 'best effort']},
  {ids: ['hooks-outside'], config: 'doctor.toml', kept: [], why: 'such a hook runs outside the sandbox'},
];

function isApart(id: ProtectionId): boolean {
  return apart.some(({ids}) => ids.includes(id));
}

function rowOf({id, level, by}: Enforced, finding: Finding): Row {
  return {id, promise: promiseOf(id), level, by, ...finding};
}

/** Attacks each protection: those of a usual run in `session`, the others in a session of their own. */
export async function tryProtections(
  host: Host,
  scratch: string,
  variables: Bench['variables'],
  session: Session,
): Promise<Row[]> {
  const openIn: Bench['openIn'] = (folder, own = 'doctor.toml') => openScratch(host, scratch, own, folder);
  const rows: Row[] = [];
  for (const protection of session.facts.protections.filter(({id}) => !isApart(id))) {
    rows.push(rowOf(protection, await tryAll({session, openIn, variables}, attacksOn(protection))));
  }
  for (const one of apart) rows.push(...(await tryApart(one, host, scratch, variables, session.machine)));
  return rows;
}

async function tryApart(
  {ids, config, kept, note, why = 'ion refuses a run that needs it here'}: Apart,
  host: Host,
  scratch: string,
  variables: Bench['variables'],
  {features}: Machine,
): Promise<Row[]> {
  const said = enforcedBy(features).filter(({id}) => ids.includes(id));
  if (said.some(({id, level}) => id === ids[0] && !kept.includes(level))) {
    return said.map((row) => rowOf(row, {tried: 'not tried', why}));
  }
  const session = await openScratch(host, scratch, config);
  const rows: Row[] = [];
  const openIn: Bench['openIn'] = (folder, own = config) => openScratch(host, scratch, own, folder);
  const noted = await note?.(session);
  for (const row of said) rows.push(rowOf(row, await tryAll({session, openIn, variables}, attacksOn(row))));
  const [first, ...others] = rows;
  return first && noted !== undefined ? [{...first, by: `${first.by}; ${noted}`}, ...others] : rows;
}
