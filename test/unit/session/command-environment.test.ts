import assert from 'node:assert/strict';
import {test} from 'node:test';
import {merge, settingsOf} from '../../../src/config/read/merge.ts';
import {defaultLayer} from '../../../src/config/defaults.ts';
import {parseLayer} from '../../../src/config/read/parse-layer.ts';
import {commandEnvironment} from '../../../src/session/command-environment.ts';
import {noToolchains} from '../../../src/sandbox/toolchains/plan-toolchains.ts';

const plain = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface Case {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly project?: string;
  readonly trusted?: true;
  readonly mode?: 'read';
  readonly want: Readonly<Record<string, string | undefined>>;
  readonly ignored?: readonly string[];
}

const cases: readonly Case[] = [
  {name: 'PATH is passed on', environment: {PATH: '/a::b'}, want: {PATH: '/a::b'}},
  {
    name: 'read mode: without relative folders',
    environment: {PATH: '/a::b:.:/c'},
    mode: 'read',
    want: {PATH: '/a:/c'},
  },
  {name: 'no PATH', environment: {}, want: {PATH: plain}},
  {name: 'an empty PATH', environment: {PATH: ''}, want: {PATH: plain}},
  {name: 'read mode: no PATH', environment: {}, mode: 'read', want: {PATH: plain}},
  {name: 'read mode: only relative folders', environment: {PATH: '.:b'}, mode: 'read', want: {PATH: plain}},
  {
    name: 'an untrusted project cannot remove PATH',
    environment: {PATH: '/a'},
    project: 'exclude = ["PATH"]',
    want: {PATH: '/a'},
    ignored: ['environment.exclude[0]'],
  },
  {
    name: 'a trusted project can remove PATH, and bash does not get an empty one',
    environment: {PATH: '/a'},
    project: 'exclude = ["PATH"]',
    trusted: true,
    want: {PATH: plain},
  },
  {
    name: 'an untrusted project cannot remove settings of tools, in any case',
    environment: {
      PATH: '/a',
      npm_config_ignore_scripts: 'true',
      GIT_CONFIG_COUNT: '0',
      HUSKY: '0',
      X_DSN: 'x',
    },
    project: 'exclude = ["*_DSN", "npm_config_ignore_scripts", "git_*", "HUSK?", "*", "N*"]',
    want: {npm_config_ignore_scripts: 'true', GIT_CONFIG_COUNT: '0', HUSKY: '0', X_DSN: undefined},
    ignored: [1, 2, 3, 4, 5].map((index) => `environment.exclude[${index}]`),
  },
  {
    name: 'a glob for secrets does not remove settings that it also matches',
    environment: {PATH: '/a', npm_config_ignore_scripts: 'true', MY_SCRIPTS: 'x'},
    project: 'exclude = ["*SCRIPTS"]',
    want: {npm_config_ignore_scripts: 'true', MY_SCRIPTS: undefined},
  },
  {
    name: 'a trusted project may remove anything',
    environment: {PATH: '/a', npm_config_ignore_scripts: 'true'},
    project: 'exclude = ["*SCRIPTS"]',
    trusted: true,
    want: {npm_config_ignore_scripts: undefined},
  },
  {
    name: 'secrets among settings are removed',
    environment: {PATH: '/a', NODE_AUTH_TOKEN: 'x', npm_config__auth: 'x'},
    project: 'exclude = ["NODE_AUTH_TOKEN"]',
    want: {NODE_AUTH_TOKEN: undefined, npm_config__auth: undefined},
    ignored: ['environment.exclude[0]'],
  },
];

for (const {name, environment, project = '', trusted, mode, want, ignored = []} of cases) {
  test(`environment of a command: ${name}`, () => {
    const source = {kind: 'project' as const, file: 'p.toml', folder: '/w', home: '/h'};
    const content = parseLayer(`[environment]\n${project}`, source);
    const onlyTightens = trusted ? undefined : {why: 'not trusted', help: 'trust it'};
    const merged = merge([{...content, kind: 'project', onlyTightens}, defaultLayer(['/h'])]);
    const settings = settingsOf(merged.values);
    const state = mode ? {...settings, mode: {...settings.mode, value: mode}} : settings;
    const {variables} = commandEnvironment({environment}, state, noToolchains);
    for (const [variable, value] of Object.entries(want)) assert.equal(variables[variable], value, variable);
    assert.deepEqual(
      merged.ignored.map(({key}) => key),
      ignored,
    );
  });
}
