import {symlinkSync} from 'node:fs';
import {testChecks, testOnce, type Case} from '../harness/cases.ts';

const config = `[permissions]
approval = "accept_edits"
denied_paths = ["~/work/vault"]
[[permissions.rules]]
effect = "deny"
scope = "path"
match = "~/work/secret"
[[permissions.rules]]
effect = "deny"
scope = "mcp_server"
match = "evil"
[[permissions.rules]]
effect = "allow"
scope = "tool"
match = "fetch"
`;

/** `ion check --tool …`: the answer to a caller of a tool other than bash. */
const rows: readonly (readonly [args: string, code: number, says: RegExp])[] = [
  ['read a', 0, /^ion: allowed/],
  ['ls .', 0, /^ion: allowed/],
  ['grep src', 0, /^ion: allowed/],
  ['glob src/**/*.ts', 0, /^ion: allowed/],
  ['edit a', 0, /^ion: allowed: approval = "accept_edits" allows edits in the workspace/],
  ['write a', 0, /^ion: allowed/],
  [
    'write ../outside',
    126,
    /writes outside the workspace[^]*note: "..\/outside" is outside the write roots: the sandbox refuses it/,
  ],
  ['read /var/tmp/x', 0, /note: "\/var\/tmp\/x" is outside the read roots: the sandbox refuses it/],
  ['write .ion/config.toml', 0, /note: ".ion\/config.toml" is protected, [^\n]*: the sandbox refuses it/],
  ['read .ion/config.toml', 0, /^(?!.*is protected)ion: allowed/s],
  ['delete a', 126, /asks about deletions/],
  ['read secret', 126, /deny rule path "[^"]*\/secret"\n --> ~\/\.ion\/config\.toml:4/],
  ['read secret/deep', 126, /deny rule path/],
  ['read secret-not', 0, /^ion: allowed/],
  ['write a secret/b', 126, /deny rule path/],
  ['read {home}/.ssh/id_rsa', 126, /in denied_paths/],
  ['read ~/.ssh/id_rsa', 126, /in denied_paths/],
  ['read link/id_rsa', 126, /in denied_paths/],
  ['read vault/x', 126, /in denied_paths/],
  ['read /etc/passwd', 126, /is below \/etc, where file tools do not work/],
  ['mcp:evil/do', 126, /deny rule mcp_server "evil"/],
  ['mcp:good/do', 126, /asks about tools of MCP servers/],
  ['fetch', 0, /allow rule tool "fetch"/],
  ['raed a', 125, /^ion: there is no tool "raed"\nhelp: did you mean "read"\?\n$/],
  ['mcp:evil', 125, /^ion: there is no tool "mcp:evil"/],
  ['read', 125, /^ion: the tool "read" needs a path/],
  ['fetch x', 125, /^ion: the tool "fetch" takes no paths/],
  ['bash git', 126, /asks about commands/],
  ['bash', 125, /^ion: no command to check/],
];

const cases = rows.map(([args, code, says]): Case => {
  return {
    name: args,
    files: {'~/.ion/config.toml': config, a: ''},
    before: ({work, home}) => symlinkSync(`${home}/.ssh`, `${work}/link`),
    args: ['check', '--tool', ...args.split(' ')],
    code,
    ...(code === 125 ? {stderr: says} : {stdout: says}),
  };
});

testChecks('ion check --tool', cases);

testOnce('ion check --tool', [
  {
    name: 'in read mode a tool that writes is denied',
    files: {a: ''},
    args: ['check', '--read', '--tool', 'edit', 'a'],
    code: 126,
    stdout: /"edit" changes things/,
  },
  {
    name: 'as JSON',
    args: ['check', '--json', '--tool', 'mcp:s/t'],
    stdout: /"tool": "mcp:s\/t"/,
  },
]);
