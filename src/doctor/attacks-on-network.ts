import type {ProtectionId} from '../sandbox/matrix/matrix.ts';
import {python, socket, type Attack} from './attack.ts';
import {afterAllowed, asksTls, asksWeb} from './named-servers.ts';

/** Among servers with names (named-servers.ts), which the first words reach as the table allows it. */
const among = (name: string, allowed: string, script: string): Attack => ({
  name,
  script: afterAllowed(allowed, script),
  doctor: true,
  servers: true,
  without: 'its servers need python3 and a network namespace of their own',
});

/** Connects to ion's server on this machine. A relay may accept a connection before it refuses it, so only the answer counts. */
const reachesServer =
  '[ -n "$PORT" ] || exit 77; exec 3<>/dev/tcp/127.0.0.1/$PORT && read -rt 5 line <&3 && [ "$line" = reached ]';

/** Attacks on networks and sockets. */
export const onNetwork = {
  'unix-sockets': [
    {
      name: 'connect to a socket of ion',
      doctor: true,
      script: socket('SOCKET', 's.connect(os.environ["SOCKET"])'),
    },
    {
      name: 'connect through a symlink',
      doctor: true,
      script: socket('SOCKET', 'os.symlink(os.environ["SOCKET"], "link2"); s.connect("link2")'),
    },
  ],
  'abstract-sockets': [
    {
      name: 'connect to an abstract socket of ion',
      doctor: true,
      script: socket('ABSTRACT', 's.connect(chr(0) + os.environ["ABSTRACT"])'),
    },
  ],
  loopback: [{name: 'reach a network', doctor: true, loopback: true, script: 'exec 3<>/dev/udp/192.0.2.1/9'}],
  'loopback-own': [
    {
      name: 'reach a server on this machine',
      doctor: true,
      loopback: true,
      without: 'no server could be started',
      script: reachesServer,
    },
  ],
  'loopback-unshared': [
    {
      // A run that reaches a server on this machine's loopback shares that loopback, so the machine could reach the run
      // too.
      name: "listen on this machine's loopback",
      doctor: true,
      loopback: true,
      without: 'no server could be started, or /proc does not list them',
      script:
        '[ -n "$PORT" ] && [ -r /proc/net/tcp ] || exit 77; grep -q "$(printf "0100007F:%04X 00000000:0000 0A" "$PORT")" /proc/net/tcp',
    },
  ],
  network: [
    {
      name: 'reach a server of ion',
      doctor: true,
      without: 'no server could be started',
      script: reachesServer,
    },
    // Nothing answers at this address. A datagram socket connects as soon as there is a route.
    {
      name: 'reach a network',
      script: python("socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"),
    },
    {name: 'reach a network with bash', script: 'exec 3<>/dev/udp/192.0.2.1/9'},
    {name: 'reach this machine', script: 'exec 3<>/dev/udp/127.0.0.1/9'},
  ],
  'network-names': [
    {
      name: 'reach a port of this machine that is not listed',
      doctor: true,
      without: 'no server could be started',
      script: reachesServer,
    },
    // Nothing answers at these addresses. A datagram socket connects as soon as there is a route.
    {
      name: 'reach an address that no name led to',
      doctor: true,
      script: 'exec 3<>/dev/udp/198.51.100.1/9',
    },
    among('reach a name that is not listed', asksWeb('allowed.example'), asksWeb('other.example')),
    among(
      'look up a name that is not listed',
      asksWeb('allowed.example'),
      'getent ahostsv4 other.example >/dev/null',
    ),
  ],
  'network-server-names': [
    among(
      'reach an allowed address with another Host',
      asksWeb('allowed.example'),
      asksWeb('allowed.example', 'other.example'),
    ),
    among(
      'reach an allowed address with another TLS server name',
      asksTls('allowed.example'),
      asksTls('allowed.example', 'other.example'),
    ),
  ],
  'network-local': ['local', 'machine', 'link'].map((name) =>
    among(
      `reach an address of ${name === 'machine' ? 'this machine' : `a ${name} network`} by an allowed name`,
      asksWeb('allowed.example'),
      asksWeb(`${name}.example`),
    ),
  ),
  'other-sockets': [
    {name: 'make a vsock socket', script: python('socket.socket(40, socket.SOCK_STREAM)')},
    {
      name: 'make a kernel crypto socket',
      rare: true,
      script: python('socket.socket(38, socket.SOCK_SEQPACKET)'),
    },
  ],
} satisfies Partial<Record<ProtectionId, readonly Attack[]>>;
