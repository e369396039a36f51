import type {ProtectionId} from '../sandbox/matrix.ts';

/**
 * One attack on a protection, as bash: exits 0 when it got through, 77 when there is nothing to attack with, anything
 * else when it was refused. `$OUTSIDE` is a readable file outside the workspace, `$ION` the pid of ion. The same attacks
 * run unsandboxed in the conformance test, where they must get through.
 */
export interface Attack {
  readonly name: string;
  readonly script: string;
}

/** Python, where it is there, for calls that bash cannot make. */
function python(code: string): string {
  return `command -v python3 >/dev/null || exit 77\npython3 - "$OUTSIDE" "$ION" <<'END'\nimport os, socket, sys\nOUTSIDE, ION = sys.argv[1], int(sys.argv[2])\n${code}\nEND`;
}

export const attacks: Partial<Record<ProtectionId, readonly Attack[]>> = {
  writes: [
    {name: 'create a file beside the workspace', script: 'echo x > ../created'},
    {name: 'append to a file outside', script: 'echo x >> "$OUTSIDE"'},
    {name: 'write through a symlink', script: 'ln -s "$OUTSIDE" link && echo x >> link'},
    {name: 'move a file out', script: 'echo x > f; mv f ../moved'},
    {name: 'hard link a file in', script: 'ln "$OUTSIDE" linked'},
    {name: 'remove a file outside', script: 'rm -f "$OUTSIDE" && [ ! -e "$OUTSIDE" ]'},
    {name: 'make a folder outside', script: 'mkdir ../folder'},
  ],
  truncate: [{name: 'truncate a file outside', script: 'truncate -s 0 "$OUTSIDE"'}],
  reads: [
    {name: 'read a file outside', script: 'cat "$OUTSIDE"'},
    {name: 'list the folder around the workspace', script: 'ls ..'},
    {name: 'read through /proc/self/cwd', script: 'cat /proc/self/cwd/../outside'},
  ],
  exec: [{name: 'execute a file outside', script: '[ -x "$OUTSIDE" ] || exit 77; "$OUTSIDE"'}],
  network: [
    // Nothing answers there; a datagram socket is connected as soon as there is a route.
    {
      name: 'reach a network',
      script: python("socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"),
    },
    {name: 'reach a network with bash', script: 'exec 3<>/dev/udp/192.0.2.1/9'},
    {name: 'reach this machine', script: 'exec 3<>/dev/udp/127.0.0.1/9'},
  ],
  'other-sockets': [
    {name: 'make a vsock socket', script: python('socket.socket(40, socket.SOCK_STREAM)')},
    {name: 'make a kernel crypto socket', script: python('socket.socket(38, socket.SOCK_SEQPACKET)')},
  ],
  signals: [{name: 'signal ion', script: 'kill -0 "$ION"'}],
  processes: [
    {name: 'read the environment of ion', script: 'cat /proc/$ION/environ'},
    {name: 'see what a descriptor of ion is', script: 'readlink /proc/$ION/fd/0'},
  ],
  'process-limits': [
    {
      name: 'set a limit of ion',
      script: python(
        'import resource\nresource.prlimit(ION, resource.RLIMIT_CORE, resource.prlimit(ION, resource.RLIMIT_CORE))',
      ),
    },
  ],
  'set-id': [
    {name: 'make a set-user-id file', script: 'touch f && chmod u+s f'},
    {name: 'make a device node', script: 'mknod node c 1 3'},
  ],
  kernel: [
    {name: 'make a user namespace', script: 'unshare -U true'},
    {name: 'make a mount namespace', script: 'unshare -m true'},
    {name: 'read the kernel log', script: 'dmesg'},
  ],
  privileges: [
    {name: 'gain privileges by executing', script: 'grep -q "NoNewPrivs:.0" /proc/self/status'},
    {
      name: 'keep CAP_SYS_ADMIN',
      script: '(( 0x$(sed -n "s/^CapBnd:.//p" /proc/self/status) & 0x200000 )) && [ "$(id -u)" = 0 ]',
    },
  ],
  descriptors: [{name: 'inherit a descriptor', script: '[ -e /proc/self/fd/4 ] || [ -e /proc/self/fd/5 ]'}],
};
