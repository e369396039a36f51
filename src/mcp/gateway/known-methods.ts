/** Requests of a client that ion understands, in all versions of the protocol. */
export const knownMethods: ReadonlySet<string> = new Set([
  ...['initialize', 'server/discover', 'ping', 'logging/setLevel', 'completion/complete'],
  ...['tools/list', 'tools/call'],
  ...[
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'resources/unsubscribe',
  ],
  ...['prompts/list', 'prompts/get', 'subscriptions/listen'],
  ...['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'tasks/update'],
]);

/** Methods that read or use something of the server. A rule that denies the server denies them. */
export const servedMethods: ReadonlySet<string> = new Set([
  ...['tools/list', 'tools/call', 'completion/complete'],
  ...['resources/list', 'resources/templates/list', 'resources/read', 'resources/subscribe'],
  ...['prompts/list', 'prompts/get', 'subscriptions/listen'],
]);
