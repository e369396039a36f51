import type {AskedBy} from '../../sandbox/violation.ts';
import {escaped} from './escaped.ts';

/**
 * Programs that run scripts of packages during installation, matched by the last part of a word: `node npm ci`, `python3 -m pip
 * install`. The user did not ask for the programs that they start. Their own actions may come from a package's plugin.
 */
const installers =
  /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack|pip[\d.]*|pipx|uv|uvx|poetry|pdm|hatch|conda|mamba|gem|bundle|bundler|composer|npm-cli|npx-cli|pip-script|setup)(?:\.(?:[cm]?js|py|exe|phar))?$/;

/** Compiled from a package, and run before the package is built. */
const buildScripts = /^build-script-/;

/** Subcommands that run scripts of the project itself. */
const ownScripts = /^(?:run|run-script|test|tst|t|start|stop|restart)$/;

/**
 * Reports whether a program that installs packages is among those that asked, even if its arguments are unknown.
 * Pure.
 */
export function isInstallScript({chain}: AskedBy): boolean {
  return chain.some((words) => {
    const all = words.split(/\s+/);
    if (all.some((word) => buildScripts.test(word))) return true;
    const at = all.findIndex((word) => installers.test(word));
    if (at === -1) return false;
    const next = all.slice(at + 1).find((word) => !word.startsWith('-'));
    return next === undefined || !ownScripts.test(next);
  });
}

const shownAtMost = 6;

/** `npm ci > node > sh > curl`: the programs that asked, starting with the command. */
export function shownChain({chain, whole}: AskedBy): string {
  const names = chain.map(nameOf).filter((name, index, all) => name !== all[index - 1]);
  const shown =
    names.length > shownAtMost ? [...names.slice(0, 3), '…', ...names.slice(-(shownAtMost - 3))] : names;
  return [...(whole ? [] : ['?']), ...shown].join(' > ');
}

/** The name of a program. For an installer, also its subcommand. */
function nameOf(words: string): string {
  const all = words.split(/\s+/);
  const at = all.findIndex((word) => installers.test(word));
  return escaped(at === -1 ? (all[0] ?? '') : all.slice(at, at + 2).join(' '), 40);
}
