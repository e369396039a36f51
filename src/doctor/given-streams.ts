import {closeSync, fstatSync, openSync, unlinkSync, writeFileSync, writeSync} from 'node:fs';
import {createSocket} from 'node:dgram';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import type {Stdio} from '../sandbox/launch.ts';
import type {Addon} from '../sandbox/linux/native.ts';
import type {Given} from './attack.ts';

/** Standard streams for one of the doctor's attacks. `close` closes them afterwards. */
export interface GivenStreams {
  readonly input: Stdio;
  readonly output: Stdio;
  readonly close: () => void;
  /** Reports whether the run changed the given file. The call that changes it can also return an error. */
  readonly isChanged?: () => boolean;
}

interface Sources {
  readonly addon: Addon;
  readonly variables: Readonly<Record<string, string>>;
}

/** Makes the streams; undefined where this machine lacks something they need. */
export async function giveStreams(given: Given, sources: Sources): Promise<GivenStreams | undefined> {
  return await makers[given](sources);
}

const makers: Readonly<
  Record<Given, (sources: Sources) => GivenStreams | undefined | Promise<GivenStreams | undefined>>
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
  // The file is in the folder where shells make here-documents. The run may write there.
  removed: () => {
    const file = path.join(tmpdir(), `ion-doctor-${process.pid}`);
    writeFileSync(file, 'text\n', {flag: 'wx', mode: 0o600});
    const reads = openSync(file, 'r');
    unlinkSync(file);
    return {...streams({input: reads}, [reads]), isChanged: () => (fstatSync(reads).mode & 0o777) !== 0o600};
  },
  log: ({variables}) => appended(variables, 'a'),
  'read-log': ({variables}) => appended(variables, 'a+'),
  connection: async ({variables}) => {
    if (!variables['PORT']) return undefined;
    const socket = connect({host: '127.0.0.1', port: Number(variables['PORT']), allowHalfOpen: true});
    await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve));
    const descriptor = (socket as unknown as {_handle?: {fd?: number}})._handle?.fd;
    const close = (): void => void socket.destroy();
    // A successful attack resets the connection.
    socket.on('error', () => undefined);
    if (descriptor === undefined || descriptor < 0) {
      close();
      return undefined;
    }
    return {input: descriptor, output: 'ignore', close};
  },
  datagrams: async () => {
    const socket = createSocket('udp4');
    await new Promise((resolve) =>
      socket.bind(0, '127.0.0.1', () => resolve(undefined)).once('error', resolve),
    );
    const close = (): void => void socket.close();
    // Node has no public API for the descriptor of a datagram socket.
    const holder = Object.getOwnPropertySymbols(socket).find(
      ({description}) => description === 'state symbol',
    );
    const state = holder && (socket as unknown as Record<symbol, {handle?: {fd?: number}}>)[holder];
    const descriptor = state?.handle?.fd;
    if (descriptor === undefined || descriptor < 0) {
      close();
      return undefined;
    }
    return {input: descriptor, output: 'ignore', close};
  },
};

function appended(variables: Sources['variables'], mode: 'a' | 'a+'): GivenStreams {
  const appends = openSync(variables['OUTSIDE']!, mode);
  return streams({output: appends}, [appends]);
}

function streams(
  {input = 'inherit', output = 'ignore'}: {readonly input?: Stdio; readonly output?: Stdio},
  descriptors: readonly number[],
): GivenStreams {
  return {input, output, close: () => descriptors.forEach((descriptor) => closeSync(descriptor))};
}
