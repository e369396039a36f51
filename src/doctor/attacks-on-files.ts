import {mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import type {ProtectionId} from '../sandbox/matrix/matrix.ts';
import {handed, python, waits, type Attack} from './attack.ts';
import {makeInEtc, mountBeside, replaceByLink, replaceFile} from './meanwhile.ts';

/** Attacks on files outside the roots, denied files and temp folders. */
export const onFiles = {
  writes: [
    {name: 'create a file next to the workspace', script: 'echo x > ../created'},
    {name: 'append to an outside file', script: 'echo x >> "$OUTSIDE"'},
    {name: 'write through a symlink', script: 'ln -s "$OUTSIDE" link && echo x >> link'},
    {name: 'move a file out of the workspace', script: 'echo x > f; mv f ../moved'},
    {name: 'hard-link an outside file into the workspace', script: 'ln "$OUTSIDE" linked'},
    {name: 'remove an outside file', script: 'rm "$OUTSIDE"'},
    {name: 'create an outside folder', script: 'mkdir ../folder'},
    {
      name: "write a submodule's git folder that another folder's `.git` names",
      doctor: true,
      from: 'outer/sibling',
      script: 'echo x > ../.git/modules/lib/objects/new',
    },
    {
      name: 'write a repository that does not list this folder as a worktree',
      doctor: true,
      from: 'tree',
      script: 'echo x > ../outer/.git/objects/new',
    },
  ],
  truncate: [{name: 'truncate an outside file', script: 'truncate -s 0 "$OUTSIDE"'}],
  reads: [
    {name: 'read an outside file', script: 'cat "$OUTSIDE"'},
    {name: 'list the parent folder of the workspace', script: 'ls .. | grep -qx outside'},
    {name: 'read through /proc/self/cwd', script: 'cat /proc/self/cwd/../outside'},
  ],
  'mounted-later': [
    {
      // The attack could also change it in other ways.
      name: 'see a mount that another process makes during the run',
      without: 'this user may not mount',
      enforcedOnly: true,
      doctor: true,
      meanwhile: mountBeside,
      script: `${waits}[ -e ../mounted/file ]`,
    },
    {
      name: 'change a mode on a mount that another process makes during the run',
      without: 'this user may not mount',
      meanwhile: mountBeside,
      script: `${waits}chmod 600 ../mounted/file`,
    },
    {
      name: 'write to a mount that another process makes during the run',
      without: 'this user may not mount',
      meanwhile: mountBeside,
      script: `${waits}echo x > ../mounted/new`,
    },
  ],
  metadata: [
    {name: 'change the mode of an outside file', script: 'chmod 600 "$OUTSIDE"'},
    {name: 'change the time of an outside file', script: 'touch -d 2001-01-01 "$OUTSIDE"'},
  ],
  'metadata-handed': [
    {
      name: 'change the mode of standard input',
      handed: true,
      script: `${handed}\n${python('os.fchmod(3, 0o700)').replace('<<', '3<&0 <<')}`,
    },
  ],
  'denied-paths': [
    {name: 'read a denied file', doctor: true, script: 'grep -q . secret'},
    {
      name: 'read a denied file that another process replaced',
      doctor: true,
      meanwhile: (workspace) => replaceFile(path.join(workspace, 'secret'), 'secret\n'),
      script: `${waits}grep -q . secret`,
    },
    {
      name: 'change the mode of what another process has put in its place',
      doctor: true,
      meanwhile: (workspace) => replaceFile(path.join(workspace, 'secret'), 'secret\n'),
      script: `${waits}chmod 777 secret`,
    },
    {
      name: 'read a denied file where a link of another process leads',
      doctor: true,
      meanwhile: (workspace) => replaceByLink(path.join(workspace, 'secret'), 'moved'),
      script: `${waits}grep -q . moved`,
    },
  ],
  'denied-paths-new': [
    {name: 'read a file that a wildcard denies', doctor: true, script: 'grep -q . key.pem'},
    {
      name: 'read such a file under another name',
      doctor: true,
      script: 'ln key.pem l && grep -q . l || mv key.pem k && grep -q . k || ln -s key.pem s && grep -q . s',
    },
    {
      name: 'read such a file in a folder with another name',
      doctor: true,
      script: 'mv -T closed c && grep -q . c/file',
    },
    {name: 'change the mode of such a file', doctor: true, script: 'chmod 777 key.pem'},
    {
      name: 'read such a file by its name after its removal',
      doctor: true,
      script: python(
        'fd = os.open("other.pem", os.O_PATH)\nos.unlink("other.pem")\nopen(f"/proc/self/fd/{fd}").read()',
      ),
    },
    {
      name: 'make a denied file from a current folder that is renamed',
      doctor: true,
      script: python(`import time
os.mkdir("n"); os.chdir("n")
for _ in range(20):
    time.sleep(0.006); open("f", "w").close(); os.rename("../n", "../renamed")
    try: open("missing", "w").close(); sys.exit(0)
    except OSError: os.rename("../renamed", "../n")
sys.exit(1)`),
    },
    {
      name: 'read what a link of another process, in the place of a denied folder, leads to',
      doctor: true,
      meanwhile: (workspace) => {
        mkdirSync(path.join(workspace, 'elsewhere'), {recursive: true});
        writeFileSync(path.join(workspace, 'elsewhere/missing'), 'secret\n');
        symlinkSync('elsewhere', path.join(workspace, 'linked'));
        return () => rmSync(path.join(workspace, 'linked'));
      },
      script: `${waits}sleep 0.01; grep -q . elsewhere/missing`,
    },
    {
      name: 'change the owner of such a file by a descriptor',
      doctor: true,
      script: python(
        'import ctypes\nfd = os.open("key.pem", os.O_PATH)\nsys.exit(ctypes.CDLL(None).fchownat(fd, b"", os.getuid(), -1, 0x1000) != 0)',
      ),
    },
    {
      name: 'make a file that an entry without wildcards names',
      doctor: true,
      script: 'echo x > missing || mkdir missing || { echo x > f && mv f missing; }',
    },
    {
      name: 'make it by a link in the place of its folder',
      doctor: true,
      script: 'mkdir -p d; : > d/missing; ln -s d away || { ln -s d l && mv -T l away; }',
    },
  ],
  'private-temp': [
    {
      name: "read a run's private temp folder from a run with the shared one",
      doctor: true,
      config: 'doctor.toml',
      without: 'no folder could be made for it',
      script: '[ -n "$PRIVATE" ] || exit 77; cat "$PRIVATE/file"',
    },
    {
      name: "read another run's temp folder",
      doctor: true,
      without: 'no folder could be made for it',
      script: '[ -n "$PRIVATE" ] || exit 77; cat "$PRIVATE/file"',
    },
    {
      name: "write another run's temp folder",
      doctor: true,
      without: 'no folder could be made for it',
      script: '[ -n "$PRIVATE" ] || exit 77; echo x > "$PRIVATE/new"',
    },
  ],
  etc: [
    {
      name: 'read a file that only root may read',
      without: 'every file there that this user can read is readable by all',
      script:
        'for f in $(find /etc -xdev -type f ! -perm -o+r 2>/dev/null); do { [ -r "$f" ] || [ "$(id -u)" = 0 ]; } && [ -s "$f" ] && tried=1; cat "$f" 2>/dev/null | grep -q . && exit 0; done; [ -n "$tried" ] && exit 1; exit 77',
    },
  ],
  'etc-later': [
    {
      name: 'read a file that another process makes there during the run, as root',
      // Without the mount a folder that held no closed file is open as a whole (docs/limits.md).
      enforcedOnly: true,
      without: 'the run is not root, /etc cannot be written outside, or no mount covers it',
      meanwhile: makeInEtc,
      script: `[ "$(id -u)" = 0 ] || exit 77\n${waits}cat "$(cat made)" | grep -q .`,
    },
  ],
  names: [
    {
      name: 'ask for the size of an outside file',
      script: 'stat -c %s "$OUTSIDE"',
    },
    {name: 'list the attributes of an outside file', script: python('os.listxattr(OUTSIDE)')},
    {
      name: 'ask for one attribute of an outside file',
      script: python(
        'import errno\ntry: os.getxattr(OUTSIDE, "user.ion")\nexcept OSError as e: sys.exit(e.errno != errno.ENODATA)',
      ),
    },
    {
      name: 'watch an outside file',
      script: python(
        'import ctypes\nlibc = ctypes.CDLL(None)\nsys.exit(libc.inotify_add_watch(libc.inotify_init(), OUTSIDE.encode(), 0xfff) < 0)',
      ),
    },
    {
      // statmount(2), Linux 6.8. Its number is the same on x86-64 and arm64.
      name: 'ask for the mount of an outside file',
      rare: true,
      script: python(
        'import ctypes, struct\nlibc, b = ctypes.CDLL(None), bytearray(4096)\ninto = (ctypes.c_char * 4096).from_buffer(b)\nif libc.statx(-100, OUTSIDE.encode(), 0, 0x4000, into): sys.exit(1)\nrequest = struct.pack("IIQQQ", 32, 0, struct.unpack_from("Q", b, 0x90)[0], 2, 0)\nsys.exit(libc.syscall(457, request, into, ctypes.c_long(4096), 0) != 0)',
      ),
    },
  ],
  devices: [
    {
      name: 'open a device',
      doctor: true,
      without: 'this user can open only harmless devices',
      script: '[ -n "$DEVICE" ] || exit 77; exec 3<"$DEVICE"',
    },
  ],
} satisfies Partial<Record<ProtectionId, readonly Attack[]>>;
