import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {acceptPins, openPins, waitingPins} from '../../../src/mcp/gateway/pins.ts';
import {openGate, type ToolGate} from '../../../src/mcp/gateway/tool-gate.ts';

const session = {previewTool: () => Promise.resolve({decision: {effect: 'allow'}})};
const tool = (name: string, description = 'does it') => ({name, description});
type Tool = ReturnType<typeof tool>;

test('gate: what the user accepts counts in a connection that is open', async (t) => {
  const home = mkdtempSync(path.join(tmpdir(), 'gate-'));
  t.after(() => rmSync(home, {recursive: true}));
  const warnings: string[] = [];
  const open = (): ToolGate =>
    openGate({
      server: 'x',
      session: session as never,
      log: undefined,
      pins: openPins(home, 'x'),
      warn: (text) => void warnings.push(text),
    });
  const listed = async (gate: ToolGate, ...tools: readonly Tool[]): Promise<string[]> =>
    ((await gate.listed(tools, false, true)) as unknown as Tool[]).map(({name}) => name);
  assert.deepEqual(await listed(open(), tool('a'), tool('b')), ['a', 'b']);
  const gate = open();
  const now = [tool('a', 'does more'), tool('b'), tool('-c')];
  const isOpen = (): boolean[] => now.map(({name}) => gate.isOpen(name));
  assert.deepEqual(await listed(gate, ...now), ['b']);
  assert.deepEqual(isOpen(), [false, true, false]);
  acceptPins(home, 'x', waitingPins(home, 'x').waiting);
  assert.deepEqual(await listed(gate, ...now), ['a', 'b', '-c']);
  assert.deepEqual(isOpen(), [true, true, true]);
  assert.deepEqual(warnings, [
    'withheld the tool "a" of "x": its definition has changed since it was accepted. To see and accept it: ion mcp accept x a',
    'withheld the tool "-c" of "x": it is new since the tools of this server were accepted. To see and accept it: ion mcp accept -- x -c',
  ]);
});
