/**
 * The paths of submodules in a git index (mode 160000), as git reads it: see gitformat-index(5). git runs in each
 * submodule that has a `.git`, with the submodule's own config. Throws a RangeError for a file that is not an index.
 */
export function gitlinksIn(index: Buffer, hashBytes: number): Buffer[] {
  // Nearly every index has no submodule: then these bytes do not occur in it.
  if (!index.includes(gitlink)) return [];
  const version = index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new RangeError('no index');
  const found: Buffer[] = [];
  let previous: Buffer = Buffer.alloc(0);
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + 40 + hashBytes;
    const flags = index.readUInt16BE(flagsAt);
    const name = flagsAt + (flags & extended ? 4 : 2);
    const entry = version === 4 ? compressed(index, name, flags, previous) : plain(index, name, flags, at);
    if (index.readUInt32BE(at + 24) === 0o160000) found.push(entry.name);
    previous = entry.name;
    at = entry.next;
  }
  return found;
}

const gitlink = Buffer.from([0, 0, 0o160000 >> 8, 0]);
const extended = 0x4000;
const longName = 0xfff;

interface Named {
  readonly name: Buffer;
  readonly next: number;
}

/** The length in the flags does not count the NUL. Entries are padded to eight bytes. */
function plain(index: Buffer, at: number, flags: number, start: number): Named {
  const length = (flags & longName) === longName ? nulAt(index, at) - at : flags & longName;
  return {name: index.subarray(at, at + length), next: start + ((at - start + length + 8) & ~7)};
}

/** How many bytes of the previous name to cut off, and the bytes that replace them. */
function compressed(index: Buffer, at: number, flags: number, previous: Buffer): Named {
  let next = at;
  let byte = index.readUInt8(next++);
  let cut = byte & 127;
  while (byte & 128) {
    byte = index.readUInt8(next++);
    cut = (cut + 1) * 128 + (byte & 127);
  }
  const kept = previous.length - cut;
  if (kept < 0) throw new RangeError('no index');
  const length = (flags & longName) === longName ? nulAt(index, next) - next : (flags & longName) - kept;
  if (length < 0) throw new RangeError('no index');
  const name = Buffer.concat([previous.subarray(0, kept), index.subarray(next, next + length)]);
  return {name, next: next + length + 1};
}

function nulAt(index: Buffer, from: number): number {
  const found = index.indexOf(0, from);
  if (found === -1) throw new RangeError('no index');
  return found;
}
