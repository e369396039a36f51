import type {Layer} from './layer.ts';
import type {LayerValues} from './keys.ts';
import {literalPattern} from './path-patterns.ts';
import type {Origin, Sourced} from './settings.ts';

const origin: Origin = {layer: 'default'};

function value<T>(value: T): Sourced<T> {
  return {value, origin};
}

/**
 * Credentials below a home that no build needs: the defaults of denied_paths. Only --no-sandbox lifts a denied path.
 * So files that package managers read for their registries (~/.npmrc, ~/.cargo, ~/.config/pip) are not listed:
 * denying them would break every install. The sandbox withholds those because they are not in its read roots.
 */
export const credentials: readonly string[] = [
  '.ssh',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/gh',
  '.docker/config.json',
  '.git-credentials',
  '.config/git/credentials',
  '.gnupg',
  '.kube',
  '.local/share/keyrings',
  '.netrc',
  '.password-store',
  '.pgpass',
  '.vault-token',
];

/**
 * Variables that hold secrets by their names, compared without case (npm's are in lower case). These are left out, with the
 * reason:
 * - *AUTH*: SSH_AUTH_SOCK and XAUTHORITY name files that the sandbox itself withholds, and an allowed agent socket needs its
 *   variable.
 * - *PASS*: SSH_ASKPASS and GIT_ASKPASS are programs.
 * - DATABASE_URL and the like: they may hold a password, but most test suites need them. Users who put one there add it to
 *   environment.exclude.
 */
const excluded = [
  '*TOKEN*',
  '*SECRET*',
  '*PASSWORD*',
  '*PASSWD*',
  '*PASSPHRASE*',
  '*_PASS',
  '*_PWD',
  'SSHPASS',
  '*CREDENTIAL*',
  '*_CREDS',
  '*_KEY',
  '*APIKEY*',
  '*API_KEY*',
  '*ACCESS_KEY*',
  '*PRIVATE_KEY*',
  '*_AUTH',
  '*AUTH_CONFIG*',
  '*_JWT',
  '*BEARER*',
  '*_PAT',
  '*WEBHOOK_URL*',
  '*CONNECTION_STRING*',
];

function deniedIn(home: string): readonly Sourced<string>[] {
  return credentials.map((path) => value(`${home}/${path}`));
}

/** The lowest layer: the values that apply when nothing else is set. */
export function defaultLayer(homes: readonly string[]): Layer {
  const values = {
    'permissions.mode': value('write'),
    'permissions.read': value('table'),
    'permissions.sandbox': value(true),
    'permissions.locked': value(false),
    'permissions.trusted_environment': [],
    'permissions.deny_commands': [],
    'permissions.approval': value('never'),
    'permissions.denied_paths': homes.flatMap((home) => deniedIn(literalPattern(home))),
    'permissions.trusted_paths': [],
    'permissions.allowed_tools': [],
    'permissions.auto_approve_patterns': [],
    'permissions.frame': value(''),
    'permissions.rules': [],
    'sandbox.read_roots': [],
    'sandbox.write_roots': [],
    'sandbox.protect': [],
    'sandbox.unprotect': [],
    'sandbox.workspace': value('folder'),
    'sandbox.processes': value('own'),
    'sandbox.tmp': value('shared'),
    'sandbox.network': value('none'),
    'sandbox.unix_sockets': [],
    'sandbox.toolchains': value('auto'),
    'sandbox.report': value('denials'),
    'environment.exclude': excluded.map(value),
    'environment.keep': [],
    'environment.set': {},
    'audit.mode': value('best-effort'),
    hooks: [],
    frames: {},
  } satisfies LayerValues;
  return {kind: 'default', values, document: undefined, onlyTightens: undefined};
}
