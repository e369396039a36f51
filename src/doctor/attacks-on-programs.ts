import type {ProtectionId} from '../sandbox/matrix/matrix.ts';
import {asksFileSystem, python, systemPython, type Attack} from './attack.ts';

/** Attacks on the execution of programs, and on the kernel. */
export const onPrograms = {
  'hooks-outside': [
    {
      name: 'make the program of a hook start another program',
      doctor: true,
      script: 'exit 77',
      without: 'such a hook runs outside of the sandbox',
    },
  ],
  'denied-exec': [
    {name: 'execute a denied program', doctor: true, script: 'base64 /dev/null'},
    {
      name: 'execute a copy of a denied program',
      doctor: true,
      script: 'cp "$(command -v base64)" copy && ./copy /dev/null',
    },
    {
      name: 'execute a denied program by the dynamic loader',
      doctor: true,
      script: 'set -- /lib64/ld-linux*; [ -e "$1" ] || exit 77; "$1" "$(command -v base64)" /dev/null',
    },
  ],
  'read-exec': [
    {
      name: 'execute a file of the workspace',
      doctor: true,
      undecided: true,
      without: 'the scratch folder lies where nothing may be executed',
      script: '[ -x program ] || exit 77; ./program',
    },
    {
      name: 'execute a copy in the temp folder',
      doctor: true,
      undecided: true,
      script: 'cp "$(command -v true)" "$TMPDIR/copy" && "$TMPDIR/copy"',
    },
  ],
  'read-mapped': [
    {
      name: 'map a file of the workspace as code',
      doctor: true,
      undecided: true,
      enforcedOnly: true,
      without:
        'it is best effort here: a program that maps a file by itself passes; or the attack lacks /usr/bin/python3',
      script: systemPython(
        'import mmap\nmmap.mmap(os.open("program", os.O_RDONLY), 1, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)',
      ),
    },
  ],
  'read-programs': [
    {
      name: 'execute a program that the command does not name',
      doctor: true,
      undecided: true,
      script: '"${BASH%/*}/env" > /dev/null',
    },
    {
      name: 'change a variable that restricts git to reading',
      doctor: true,
      undecided: true,
      script: 'env -u GIT_PAGER env > /dev/null',
    },
  ],
  exec: [
    {
      name: 'execute an outside file',
      without: 'the scratch folder lies where nothing may be executed',
      script: '[ -e "$OUTSIDE" ] || exit 1; [ -x "$OUTSIDE" ] || exit 77; "$OUTSIDE"',
    },
  ],
  'set-id': [
    {name: 'make a set-user-id file', script: 'touch f && chmod u+s f'},
    {name: 'make a device node', script: 'mknod node c 1 3'},
    {name: 'make a set-group-id file', script: 'touch f && chmod g+s f && [ -g f ]'},
    {
      name: "make a set-group-id file through a folder's name",
      script: 'mkdir d; touch f; ln -s ../f d/l; chmod g+s d/l && [ -g f ]',
    },
    {name: 'make a set-user-id folder', script: 'mkdir d && chmod u+s d && [ -u d ]'},
  ],
  kernel: [
    {name: 'make a user namespace', script: 'unshare -U true'},
    {name: 'make a mount namespace', script: 'unshare -m true'},
    {name: 'read the kernel log', script: 'dmesg'},
    {name: 'ask a file system for a subvolume', script: asksFileSystem('0x5000940e', 'EPERM')},
    {
      name: 'make an ioctl that is not known to be harmless',
      script: python('import fcntl\nfcntl.ioctl(os.open("/proc/self/ns/user", os.O_RDONLY), 0xb703)'),
    },
  ],
  privileges: [
    {name: 'gain privileges by executing a file', script: 'grep -q "NoNewPrivs:.0" /proc/self/status'},
    {
      // All but those for owners, modes, ids and signals: mknod(2), open_by_handle_at(2), ptrace(2) among them.
      name: 'keep a capability that is not for files of its own',
      script: '(( 0x$(sed -n "s/^CapBnd:.//p" /proc/self/status) & ~0xfb )) && [ "$(id -u)" = 0 ]',
    },
    {
      name: 'keep CAP_SYS_ADMIN',
      script: '(( 0x$(sed -n "s/^CapBnd:.//p" /proc/self/status) & 0x200000 )) && [ "$(id -u)" = 0 ]',
    },
  ],
} satisfies Partial<Record<ProtectionId, readonly Attack[]>>;
