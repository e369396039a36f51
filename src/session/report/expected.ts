import type {Violation} from '../../sandbox/violation.ts';
import {isWithin} from '../../system/is-within.ts';

/**
 * Files in home that interactive programs write, and that they continue without: refused and recorded, but without a
 * closing line. A `*` at the end also matches names that start the same way, such as the temporary file that replaces
 * a history (less replaces the last letter with a Q).
 */
const names = [
  '.lesshs* .viminf* .bash_history* .zsh_history* .python_history* .node_repl_history* .sqlite_history* .psql_history*',
  '.mysql_history* .mariadb_history* .rediscli_history* .irb_history* .irb-history* .pry_history* .php_history* .rlwrap .lua_history*',
  '.gdb_history* .wget-hsts* .config/procps .java .parallel',
].flatMap((line) => line.split(' '));

/** man, as root, caches formatted pages here. */
const elsewhere = ['/var/cache/man'];

export function expectedWrites(home: string | undefined): string[] {
  return [...elsewhere, ...(home === undefined ? [] : names.map((name) => `${home}/${name}`))];
}

/**
 * Reports whether the program continues without this, however the command ends. These are expected refusals of writes (presets,
 * expectedWrites), urllib3's check for IPv6 when it is loaded, a debugger's attempt at a faster way than ptrace, byte code that
 * Python keeps beside a module, and pnpm's attempts to link. In the expected paths, `/proc/self` means the process that tried,
 * and a `/` at the end means only the folder itself.
 */
export function isExpected(violation: Violation, expected: readonly string[]): boolean {
  const {operation, rule, target, pid} = violation;
  if (operation !== 'write' || rule !== 'outside') return isLookForIpv6(violation);
  if ([isLookForMemory, isOwnPriority, isByteCode, isLookForLinks, isFolderOfTop].some((is) => is(violation)))
    return true;
  const path = target.replace(`/proc/${pid}/`, '/proc/self/');
  return expected.some((one) => {
    if (one.endsWith('*')) return path.startsWith(one.slice(0, -1));
    return one.endsWith('/') ? path === one.slice(0, -1) : isWithin(path, one);
  });
}

function isLookForMemory({target, program}: Violation): boolean {
  return /\/(?:gdb|lldb-server)[^/]*$/.test(program) && /^\/proc\/\d+\/(?:task\/\d+\/)?mem$/.test(target);
}

/** Python, and a program that contains Python, tries to write the byte code of a module beside it, and continues without. */
function isByteCode({target, program, syscall}: Violation): boolean {
  return (
    /\/__pycache__\/[^/]+\.pyc\.\d+$/.test(target) ||
    (syscall.startsWith('mkdir') &&
      target.endsWith('/__pycache__') &&
      /\/(?:python|pypy|gdb|vim)[^/]*$/.test(program))
  );
}

/** pnpm looks for the highest folder to which it can link from its store: it tries each on the way (package root-link-target). */
function isLookForLinks({target, program}: Violation): boolean {
  return program.endsWith('/node') && /\/_tmp_\d+_[\da-f]{32}$/.test(target);
}

/** top makes the folder for its settings, and goes on without. */
function isFolderOfTop({target, program}: Violation): boolean {
  return program.endsWith('/top') && target.endsWith('/.config');
}

/** Chromium sets for each of its processes which one the kernel kills first when memory runs out. */
function isOwnPriority({target, program}: Violation): boolean {
  return (
    /\/(?:chrom|headless_shell|electron)[^/]*$/.test(program) && /^\/proc\/\d+\/oom_score_adj$/.test(target)
  );
}

function isLookForIpv6({rule, target, program}: Violation): boolean {
  return rule === 'loopback' && target === '[::1]:0' && /\/python[^/]*$/.test(program);
}

/** For `--json`: all violations, or none if there are only IPv6 checks. */
export function ofNote<T extends Violation>(list: readonly T[]): readonly T[] {
  return list.every(isLookForIpv6) ? [] : list;
}

/**
 * Reports whether the program continues without this attempt. urllib3 binds any port when it is loaded. git tries to hard-link
 * the objects of a repository that it clones, and then copies them.
 */
export function isProbe({rule, target, syscall}: Violation): boolean {
  if (rule === 'loopback') return target.endsWith(':0');
  return (
    rule === 'outside' && syscall.startsWith('link') && /\/objects\/(?:[0-9a-f]{2}|pack)\/[^/]+$/.test(target)
  );
}
