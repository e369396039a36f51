import type {Violation} from '../../sandbox/launch.ts';
import {isWithin} from '../../system/is-within.ts';

/**
 * What programs that people sit in front of note in home, and go on without: refused and recorded, but for no closing line. A `*` ends a
 * name of which there are others beside it, such as the temporary file that replaces it (less puts a Q in the place of the last letter); a
 * `/` stands for the folder alone, which top makes.
 */
const names = [
  '.lesshs* .viminf* .bash_history* .zsh_history* .python_history* .node_repl_history* .sqlite_history* .psql_history*',
  '.mysql_history* .mariadb_history* .rediscli_history* .irb_history* .irb-history* .pry_history* .php_history* .rlwrap .lua_history*',
  '.gdb_history* .wget-hsts* .config/ .config/procps .java .parallel',
].flatMap((line) => line.split(' '));

/** man, as root, keeps the pages that it has formatted. */
const elsewhere = ['/var/cache/man'];

export function expectedWrites(home: string | undefined): string[] {
  return [...elsewhere, ...(home === undefined ? [] : names.map((name) => `${home}/${name}`))];
}

/**
 * Is it one that its program goes on without, whatever becomes of the command? A write that is expected to be refused (presets,
 * expectedWrites; `/proc/self` there is the one that tried, and a `/` at the end names the folder alone), urllib3's look for IPv6
 * when it is loaded, or a debugger's for a faster way than ptrace.
 */
export function isExpected(violation: Violation, expected: readonly string[]): boolean {
  const {operation, rule, target, pid} = violation;
  if (operation !== 'write' || rule !== 'outside') return isLookForIpv6(violation);
  if (isLookForMemory(violation) || isOwnPriority(violation)) return true;
  const path = target.replace(`/proc/${pid}/`, '/proc/self/');
  return expected.some((one) => {
    if (one.endsWith('*')) return path.startsWith(one.slice(0, -1));
    return one.endsWith('/') ? path === one.slice(0, -1) : isWithin(path, one);
  });
}

function isLookForMemory({target, program}: Violation): boolean {
  return /\/(?:gdb|lldb-server)[^/]*$/.test(program) && /^\/proc\/\d+\/(?:task\/\d+\/)?mem$/.test(target);
}

/** Chromium says of each of its processes which the kernel is to end first. */
function isOwnPriority({target, program}: Violation): boolean {
  return (
    /\/(?:chrom|headless_shell|electron)[^/]*$/.test(program) && /^\/proc\/\d+\/oom_score_adj$/.test(target)
  );
}

function isLookForIpv6({rule, target, program}: Violation): boolean {
  return rule === 'loopback' && target === '[::1]:0' && /\/python[^/]*$/.test(program);
}

/** For `--json`: all, but for looks for IPv6 that stand alone. */
export function ofNote<T extends Violation>(list: readonly T[]): readonly T[] {
  return list.every(isLookForIpv6) ? [] : list;
}

/**
 * Is it a try that its program goes on without? To have any port at all, as urllib3 does when it is loaded; and to link the objects of
 * the repository that git clones: it copies them then.
 */
export function isProbe({rule, target, syscall}: Violation): boolean {
  if (rule === 'loopback') return target.endsWith(':0');
  return (
    rule === 'outside' && syscall.startsWith('link') && /\/objects\/(?:[0-9a-f]{2}|pack)\/[^/]+$/.test(target)
  );
}
