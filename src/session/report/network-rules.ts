import {entryText} from '../../config/network/entry-text.ts';
import {renderToml} from '../../config/read/render.ts';
import {setOption} from '../../config/set-option.ts';
import type {NetworkRule} from '../../sandbox/violation.ts';
import type {NetworkTarget} from './network-target.ts';
import {bySetting, inWords, type Advice} from './setting-advice.ts';

interface Words {
  readonly protection: string;
  readonly did: string;
  readonly why: string;
  /** The setting that would allow it. */
  readonly allow: (target: NetworkTarget & {readonly program: string}) => Advice;
}

/** Programs that look a name up for another port than 443. */
const portsOf: Readonly<Record<string, number>> = {ssh: 22};

/** Refusals of a network table (native/launcher/network). */
export const networkRules: Readonly<Record<NetworkRule, Words>> = {
  'network-name': {
    protection: 'network-names',
    did: 'look up',
    why: 'the name is not on the network allow list',
    allow: ({name, program}) => {
      const port = portsOf[program];
      return listed(port === undefined ? name : `tcp://${name}:${port}`);
    },
  },
  'network-address': {
    protection: 'network-names',
    did: 'reach',
    why: 'no allowed name led to this address',
    allow: ({address, port}) =>
      address === ''
        ? inWords('connect by a name that sandbox.network allows')
        : listed(
            entryText({
              pattern: `${address}/${address.includes(':') ? 128 : 32}`,
              kind: 'address',
              ports: [port],
              tcp: true,
            }),
            '; or connect by an allowed name',
          ),
  },
  'network-port': {
    protection: 'network-names',
    did: 'reach',
    why: 'the name is allowed on other ports only',
    allow: ({name, port}) => listed(webPorts.has(port) ? `${name}:${port}` : `tcp://${name}:${port}`),
  },
  'network-local': {
    protection: 'network-local',
    did: 'reach',
    why: 'an address of a local network or of this machine',
    allow: ({name, address, port}) =>
      isOfMachine.test(address) ? ofMachine(port) : entryInWords({name, private: true}),
  },
  'network-server-name': {
    protection: 'network-server-names',
    did: 'reach',
    why: 'the TLS server name is not one that led to this address',
    allow: ({name, port}) => listed(`${name}${port === 443 ? '' : `:${port}`}`),
  },
  'network-host': {
    protection: 'network-server-names',
    did: 'reach',
    why: 'the Host of the request is not one that led to this address',
    allow: ({name, port}) => listed(`${name}:${port}`),
  },
  'network-ech': {
    protection: 'network-server-names',
    did: 'reach',
    why: 'the TLS server name is encrypted (ECH), and cannot be compared',
    allow: ({name}) => entryInWords({name, ech: 'allow'}),
  },
  'network-no-name': {
    protection: 'network-server-names',
    did: 'reach',
    why: 'the connection names no server',
    allow: ({name, port}) => listed(`tcp://${name}:${port}`, ', which allows any protocol unread'),
  },
  'network-no-tls': {
    protection: 'network-server-names',
    did: 'reach',
    why: 'not TLS, and the entry allows only that',
    allow: ({name, port}) => listed(`tcp://${name}:${port}`, ', which allows any protocol unread'),
  },
  'network-datagram': {
    protection: 'network-names',
    did: 'send a datagram to',
    why: 'a network table allows TCP only',
    allow: () => bySetting('sandbox.network', 'full'),
  },
  'network-many': {
    protection: 'network-names',
    did: 'look up names below',
    why: 'too many new names below a wildcard',
    allow: () => inWords('list the names one by one, or go slower: 64 at first, then ten a second'),
  },
  'network-busy': {
    protection: 'network-names',
    did: 'look up',
    why: 'too many look-ups at once, or too many names in one run',
    allow: () => inWords('look up fewer names at once: ion answers 512'),
  },
  'network-relay': {
    protection: 'network-names',
    did: 'use',
    why: 'the relay has ended, so the network is closed',
    allow: () => inWords('run the command again; if it happens again, report it as a bug in ion'),
  },
};

/** Ports where most servers speak TLS or HTTP. */
const webPorts: ReadonlySet<number> = new Set([80, 443, 3000, 8000, 8080, 8443]);

/** Addresses of the machine itself, or of its link only. No entry allows a name to lead to one of them. */
const isOfMachine = /^(?:0\.|127\.|169\.254\.|::|fe[89ab])/;

/** A name is looked up before the port is known. */
function ofMachine(port: number): Advice {
  return port === 0
    ? inWords(
        'for a server of this machine sandbox.network.allow takes localhost with its port: "localhost:5432"',
      )
    : listed(`localhost:${port}`, ', for a server of this machine');
}

function listed(entry: string, note = ''): Advice {
  return bySetting('sandbox.network.allow', [entry], note);
}

/** Entries with flags have no short form. */
function entryInWords(entry: object): Advice {
  const text = renderToml(entry, Infinity);
  return inWords(
    `for this run: ${setOption(`sandbox.network.allow+=${text}`)}; for all: sandbox.network.allow = [${text}] in ~/.ion/config.toml`,
  );
}
