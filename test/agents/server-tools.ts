/** Each listed tool of real servers, called once, in an order in which each has something to do. Offline. */
export interface ServerTools {
  readonly name: string;
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of its own, in home, that it needs. */
  readonly state?: string;
  /** Tools that fail, also without ion. */
  readonly fails?: readonly string[] | 'all';
  /** Tools whose result is another one inside, and why. */
  readonly differs?: Readonly<Record<string, string>>;
  /** `{work}` is the workspace of the test. */
  readonly calls: readonly (readonly [tool: string, input: object])[];
}

const entity = {name: 'ion', entityType: 'program', observations: ['runs commands']};
const other = {name: 'bash', entityType: 'program', observations: ['is a shell']};
const relation = {from: 'ion', to: 'bash', relationType: 'starts'};
const file = (name: string) => `{work}/${name}`;
const here = {path: '{work}'};
const element = {element: 'a button', target: 'e1'};

export const serverTools: readonly ServerTools[] = [
  {
    name: 'filesystem',
    program: 'mcp-server-filesystem',
    args: ['{work}'],
    calls: [
      ['list_allowed_directories', {}],
      ['write_file', {path: file('one'), content: '1\n2\n3\n'}],
      ['read_file', {path: file('one')}],
      ['read_text_file', {path: file('one'), tail: 1}],
      ['read_multiple_files', {paths: [file('one'), file('a'), file('missing')]}],
      ['edit_file', {path: file('one'), edits: [{oldText: '2', newText: 'two'}]}],
      ['create_directory', {path: file('deep/folder')}],
      ['move_file', {source: file('one'), destination: file('deep/two')}],
      ['read_media_file', {path: file('dot.png')}],
      ['list_directory', {path: file('deep')}],
      ['list_directory_with_sizes', {path: file('deep')}],
      ['directory_tree', {path: file('deep')}],
      ['search_files', {path: '{work}', pattern: '**/two'}],
      ['get_file_info', {path: file('deep/two')}],
    ],
  },
  {
    name: 'memory',
    program: 'mcp-server-memory',
    env: {MEMORY_FILE_PATH: file('memory.json')},
    calls: [
      ['create_entities', {entities: [entity, other]}],
      ['create_relations', {relations: [relation]}],
      ['add_observations', {observations: [{entityName: 'ion', contents: ['has a sandbox']}]}],
      ['search_nodes', {query: 'sandbox'}],
      ['open_nodes', {names: ['ion', 'bash']}],
      ['read_graph', {}],
      ['delete_observations', {deletions: [{entityName: 'ion', observations: ['runs commands']}]}],
      ['delete_relations', {relations: [relation]}],
      ['delete_entities', {entityNames: ['bash']}],
      ['read_graph', {}],
    ],
  },
  {
    name: 'everything',
    program: 'mcp-server-everything',
    // It needs a client with tasks.
    fails: ['simulate-research-query'],
    differs: {'get-env': 'commands get fewer variables, and caches of their own'},
    calls: [
      ['echo', {message: 'hi'}],
      ['get-sum', {a: 2, b: 3}],
      ['get-tiny-image', {}],
      ['get-annotated-message', {messageType: 'error', includeImage: true}],
      ['get-env', {}],
      ['get-resource-links', {count: 3}],
      ['get-resource-reference', {resourceType: 'Text', resourceId: 1}],
      ['get-structured-content', {location: 'New York'}],
      ['gzip-file-as-resource', {name: 'a.gz', data: 'data:text/plain;base64,aW9u', outputType: 'resource'}],
      ['trigger-long-running-operation', {duration: 1, steps: 2}],
      ['get-roots-list', {}],
      ['trigger-sampling-request', {prompt: 'say something', maxTokens: 10}],
      ['trigger-elicitation-request', {}],
      ['trigger-url-elicitation', {url: 'https://example.org', message: 'open it'}],
      ['toggle-simulated-logging', {}],
      ['toggle-simulated-logging', {}],
      ['toggle-subscriber-updates', {}],
      ['toggle-subscriber-updates', {}],
      ['simulate-research-query', {topic: 'sandboxes', ambiguous: false}],
    ],
  },
  {
    name: 'sequential-thinking',
    program: 'mcp-server-sequential-thinking',
    calls: [
      ['sequentialthinking', {thought: 'first', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2}],
      [
        'sequentialthinking',
        {
          ...{thought: 'other', nextThoughtNeeded: false, thoughtNumber: 2, totalThoughts: 2},
          ...{isRevision: true, revisesThought: 1, branchFromThought: 1, branchId: 'b'},
        },
      ],
    ],
  },
  {
    name: 'git',
    program: 'git-mcp-server',
    env: {LOGS_DIR: file('.git/logs-of-server'), GIT_SIGN_COMMITS: 'false'},
    calls: [
      ['git_set_working_dir', here],
      ['git_status', {}],
      ['git_wrapup_instructions', {acknowledgement: 'yes'}],
      ['git_branch', {mode: 'create', branchName: 'side'}],
      ['git_checkout', {target: 'side'}],
      ['git_add', {paths: ['b']}],
      ['git_diff', {staged: true}],
      ['git_commit', {message: 'feat: second'}],
      ['git_show', {object: 'HEAD'}],
      ['git_log', {}],
      ['git_blame', {filePath: 'b'}],
      ['git_checkout', {target: 'main'}],
      ['git_merge', {branch: 'side', noFastForward: true}],
      ['git_tag', {mode: 'create', tagName: 'v1', message: 'one', annotated: true}],
      ['git_changelog_analyze', {reviewTypes: ['features']}],
      ['git_checkout', {target: 'third', createBranch: true}],
      ['git_rebase', {upstream: 'side'}],
      ['git_cherry_pick', {commits: ['side'], noCommit: true}],
      ['git_stash', {mode: 'list'}],
      ['git_reset', {mode: 'hard', target: 'main', confirmed: true}],
      ['git_reflog', {}],
      ['git_clean', {force: true, dryRun: true}],
      ['git_worktree', {mode: 'list'}],
      ['git_init', {path: file('remote'), bare: true}],
      ['git_remote', {mode: 'add', name: 'origin', url: 'file://{work}/remote'}],
      ['git_push', {remote: 'origin', branch: 'main'}],
      ['git_fetch', {remote: 'origin'}],
      ['git_checkout', {target: 'main'}],
      ['git_pull', {remote: 'origin', branch: 'main'}],
      ['git_clone', {url: 'file://{work}/remote', path: file('clone')}],
      ['git_clear_working_dir', {confirm: 'Y'}],
    ],
  },
  {
    name: 'playwright (without a browser)',
    program: 'playwright-mcp',
    state: '.cache/ms-playwright-mcp',
    fails: 'all',
    calls: [
      ['browser_navigate', {url: 'http://127.0.0.1:9'}],
      ['browser_navigate_back', {}],
      ['browser_tabs', {action: 'list'}],
      ['browser_resize', {width: 100, height: 100}],
      ['browser_snapshot', {}],
      ['browser_find', {text: 'x'}],
      ['browser_click', element],
      ['browser_hover', element],
      ['browser_drag', {...{startElement: 'a', startTarget: 'e1'}, endElement: 'b', endTarget: 'e2'}],
      ['browser_drop', {...element, data: {'text/plain': 'x'}}],
      ['browser_type', {...element, text: 'x'}],
      ['browser_fill_form', {fields: []}],
      ['browser_select_option', {...element, values: ['x']}],
      ['browser_press_key', {key: 'a'}],
      ['browser_handle_dialog', {accept: true}],
      ['browser_file_upload', {}],
      ['browser_evaluate', {function: '() => 1'}],
      ['browser_run_code_unsafe', {code: 'async (page) => 1'}],
      ['browser_emulate_media', {colorScheme: 'dark'}],
      ['browser_console_messages', {level: 'info'}],
      ['browser_network_requests', {static: false}],
      ['browser_network_request', {index: 1}],
      ['browser_take_screenshot', {scale: 'css'}],
      ['browser_wait_for', {text: 'x'}],
      ['browser_close', {}],
    ],
  },
];
