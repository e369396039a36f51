import {
  always,
  first,
  starts,
  any,
  both,
  matches,
  fromBackup,
  published,
  type DestructiveRow,
} from './destructive-row.ts';
import {hasOption} from '../subcommands.ts';

/** Remote services: registries, containers, clusters, clouds, databases. */
export const serviceRows: Readonly<Record<string, readonly DestructiveRow[]>> = {
  npm: [publishes('publish', 'unpublish', 'deprecate', 'dist-tag')],
  pnpm: [publishes('publish')],
  yarn: [{...publishes(), when: (words) => first('publish')(words) || starts('npm', 'publish')(words)}],
  bun: [publishes('publish')],
  cargo: [publishes('publish', 'yank')],
  twine: [publishes('upload')],
  poetry: [publishes('publish')],
  uv: [publishes('publish')],
  flit: [publishes('publish')],
  gem: [publishes('push', 'yank')],
  mvn: [publishes('deploy')],
  docker: [
    {
      what: 'deletes unused containers, images or volumes',
      when: (words) =>
        ['system', 'volume', 'image', 'container', 'network', 'builder', 'buildx'].includes(
          words[0]?.text ?? '',
        ) && words[1]?.text === 'prune',
      scope: 'docker',
      outside: true,
      advice: 'images can be pulled again; volumes cannot',
    },
    {
      what: 'deletes containers, images or volumes',
      when: (words) =>
        first('rm', 'rmi')(words) ||
        (['volume', 'image', 'container', 'network', 'context'].includes(words[0]?.text ?? '') &&
          ['rm', 'remove'].includes(words[1]?.text ?? '')),
      scope: 'docker',
      outside: true,
      advice: 'images can be pulled again; volumes cannot',
    },
    {
      what: 'deletes containers and their volumes',
      when: (words) =>
        first('compose')(words) &&
        words.some(({text}) => text === 'down') &&
        hasOption(words, '-v', '--volumes'),
      scope: 'docker',
      outside: true,
      advice: fromBackup,
    },
    publishes('push'),
  ],
  podman: [
    {
      what: 'deletes unused containers, images or volumes',
      when: (words) => words[1]?.text === 'prune' || starts('system', 'reset')(words),
      scope: 'podman',
      outside: true,
      advice: 'images can be pulled again; volumes cannot',
    },
  ],
  kubectl: [
    {
      what: 'deletes resources of a cluster',
      when: first('delete', 'drain'),
      scope: 'cluster',
      outside: true,
      advice: 'kubectl get -o yaml keeps them before',
    },
    {
      what: 'replaces resources of a cluster by force',
      when: both(first('replace', 'apply'), any('--force', '--prune')),
      scope: 'cluster',
      outside: true,
      advice: 'kubectl get -o yaml keeps them before',
    },
  ],
  helm: [
    {
      what: 'removes a release from a cluster',
      when: first('uninstall', 'delete', 'un', 'del'),
      scope: 'cluster',
      outside: true,
      advice: 'helm get all keeps it before; --keep-history',
    },
  ],
  terraform: [infrastructure()],
  tofu: [infrastructure()],
  pulumi: [
    {
      what: 'destroys infrastructure',
      when: first('destroy'),
      scope: 'infrastructure',
      outside: true,
      advice: 'pulumi preview --destroy lists it',
    },
  ],
  aws: [
    {
      what: 'deletes objects or resources in the cloud',
      when: (words) => words.some(({text}) => /^(rm|rb|delete-.*|terminate-.*|purge-.*)$/.test(text)),
      scope: 'cloud account',
      outside: true,
      advice: 'versioned buckets keep old versions; otherwise there is no undo',
    },
  ],
  gcloud: [
    {
      what: 'deletes resources in the cloud',
      when: matches(/^delete$/),
      scope: 'cloud account',
      outside: true,
      advice: fromBackup,
    },
  ],
  az: [
    {
      what: 'deletes resources in the cloud',
      when: matches(/^(delete|purge)$/),
      scope: 'cloud account',
      outside: true,
      advice: fromBackup,
    },
  ],
  gh: [
    {
      what: 'deletes something on GitHub',
      when: (words) => words[1]?.text === 'delete' || words[1]?.text === 'archive',
      scope: 'GitHub',
      outside: true,
      advice: 'a deleted repository can be restored for 90 days by its owner',
    },
  ],
  psql: [sql()],
  mysql: [sql()],
  mariadb: [sql()],
  sqlite3: [sql()],
  duckdb: [sql()],
  'clickhouse-client': [sql()],
  mongosh: [
    {
      what: 'drops data of a database',
      when: matches(/\b(dropDatabase|\.drop\(|deleteMany\(|remove\()/),
      scope: 'database',
      outside: true,
      advice: 'mongodump first',
    },
  ],
  mongo: [
    {
      what: 'drops data of a database',
      when: matches(/\b(dropDatabase|\.drop\(|deleteMany\(|remove\()/),
      scope: 'database',
      outside: true,
      advice: 'mongodump first',
    },
  ],
  'redis-cli': [
    {
      what: 'deletes all keys',
      when: matches(/^(flushall|flushdb)$/i),
      scope: 'database',
      outside: true,
      advice: 'redis-cli --rdb keeps a dump before',
    },
  ],
  dropdb: [
    {what: 'drops a database', when: always, scope: 'database', outside: true, advice: 'pg_dump first'},
  ],
  dropuser: [
    {
      what: 'drops a database role',
      when: always,
      scope: 'database',
      outside: true,
      advice: 'pg_dumpall --roles-only first',
    },
  ],
};

function publishes(...subcommands: string[]): DestructiveRow {
  return {
    what: 'publishes a version, or withdraws one',
    when: (words) => first(...subcommands)(words) && !hasOption(words, '--dry-run', '-n'),
    scope: 'package registry',
    outside: true,
    advice: published,
  };
}

function infrastructure(): DestructiveRow {
  return {
    what: 'destroys infrastructure',
    when: (words) =>
      first('destroy')(words) ||
      (first('apply')(words) && hasOption(words, '-destroy', '--destroy')) ||
      starts('state', 'rm')(words) ||
      starts('workspace', 'delete')(words),
    scope: 'infrastructure',
    outside: true,
    advice: 'terraform plan -destroy lists it',
  };
}

function sql(): DestructiveRow {
  return {
    what: 'drops or empties tables',
    when: matches(
      /\b(drop\s+(database|schema|table|view|role|user|index|owned|materialized)|truncate\s|delete\s+from\s+[^\s;]+\s*(;|$)|alter\s+table\s+\S+\s+drop)/i,
    ),
    scope: 'database',
    outside: true,
    advice: 'dump it first; inside a transaction ROLLBACK undoes it',
  };
}
