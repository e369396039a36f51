import {closeSync, openSync, unlinkSync, writeFileSync, writeSync} from 'node:fs';
import {connect} from 'node:net';
import path from 'node:path';
import type {Stdio} from '../sandbox/launch.ts';
import type {Addon} from '../sandbox/linux/native.ts';
import type {Given} from './self-test.ts';

/** Standard streams for an attack of the doctor's, and what is to be closed afterwards. */
export interface GivenStreams {
  readonly input: Stdio;
  readonly output: Stdio;
  readonly close: () => void;
}

interface World {
  readonly addon: Addon;
  /** A folder outside the sandbox. */
  readonly scratch: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Make them; undefined where there is nothing to make them of. */
export async function giveStreams(given: Given, world: World): Promise<GivenStreams | undefined> {
  return await makers[given](world);
}

const makers: Readonly<
  Record<Given, (world: World) => GivenStreams | undefined | Promise<GivenStreams | undefined>>
> = {
  piped: ({addon}) => {
    const [reads, writes] = addon.pipe();
    return streams({input: reads}, [reads, writes]);
  },
  reader: ({addon}) => {
    const [reads, writes] = addon.pipe();
    writeSync(writes, 'secret');
    return streams({output: writes}, [reads, writes]);
  },
  removed: ({scratch}) => {
    const file = path.join(scratch, 'removed');
    writeFileSync(file, 'text\n');
    const reads = openSync(file, 'r');
    unlinkSync(file);
    return streams({input: reads}, [reads]);
  },
  log: ({variables}) => {
    const appends = openSync(variables['OUTSIDE']!, 'a');
    return streams({output: appends}, [appends]);
  },
  connection: async ({variables}) => {
    if (!variables['PORT']) return undefined;
    const socket = connect({host: '127.0.0.1', port: Number(variables['PORT']), allowHalfOpen: true});
    await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve));
    const descriptor = (socket as unknown as {_handle?: {fd?: number}})._handle?.fd;
    const close = (): void => void socket.destroy();
    if (descriptor === undefined || descriptor < 0) {
      close();
      return undefined;
    }
    return {input: descriptor, output: 'ignore', close};
  },
};

function streams(
  {input = 'inherit', output = 'ignore'}: {readonly input?: Stdio; readonly output?: Stdio},
  descriptors: readonly number[],
): GivenStreams {
  return {input, output, close: () => descriptors.forEach((descriptor) => closeSync(descriptor))};
}
