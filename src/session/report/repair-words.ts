import {settingForms} from '../../config/set-option.ts';
import {quoted} from '../../errors.ts';
import type {AutorunEvent, LeftBecause} from '../../sandbox/run-event.ts';
import {shellWord} from '../../shell/quote.ts';
import {inWords, type Advice} from './setting-advice.ts';

/** The message about a finding in a file after the run, and ion's action on it. Pure. */
export function repairText({path: file, repair}: AutorunEvent): string {
  const name = quoted(file);
  if (repair.did === 'quarantined') return `quarantined ${name}: programs outside the sandbox run or read it`;
  if (repair.did === 'undone') {
    return repair.keys.length > 0
      ? `reverted ${listed(repair.keys)} in ${name}: git may start a program by it outside the sandbox (changed remotes, branches and names are kept)`
      : `reverted ${name}: it was not a config that git can read`;
  }
  if (repair.because !== 'unmerged') return leftWords[repair.because].text(name, repair.keys);
  return `did not write the changes of ${name}: another process holds ${quoted(`${file}.lock`)}, or changed the same lines`;
}

/** The advice: how to restore a quarantined file, or what to do about a file that ion left. Pure. */
export function repairAdvice({path: file, repair}: AutorunEvent): Advice {
  if (repair.did === 'quarantined')
    return inWords(`"mv ${shellWord(repair.place)} ${shellWord(file)}" restores it`);
  if (repair.did === 'undone') {
    const allow = settingForms('sandbox.unprotect', [nameOf(file)]);
    return inWords(`${allow}; ${bringBack(repair.kept, file, 'brings the change back')}`);
  }
  if (repair.because !== 'unmerged') return inWords(leftWords[repair.because].help);
  return inWords(bringBack(repair.kept, file, 'writes them'));
}

interface LeftWords {
  readonly text: (name: string, keys: readonly string[] | undefined) => string;
  readonly help: string;
}

const leftWords: Readonly<Record<LeftBecause, LeftWords>> = {
  symlink: changed(', and one of its folders is now a symlink, which may lead out of the workspace'),
  'too-large': changed(', and the change was too large to check'),
  unknown: changed(', and ion cannot tell what changed it'),
  'not-reverted': changed(', and ion could not revert it'),
  'not-quarantined': changed(', and ion could not quarantine it'),
  replaced: changed(': another process replaced it, and then the command wrote it'),
  'own-hook': own(() => 'a hook'),
  'own-commondir': own(() => 'it leads git to another folder'),
  'own-config': own(configProblem),
  'too-many': {
    text: (name) =>
      `check ${name} and the files next to it: this run made more hooks and configs of repositories than ion checks`,
    help: 'git also runs or obeys them outside the sandbox; ion left them unchanged',
  },
};

function changed(why: string): LeftWords {
  return {
    text: (name, keys) => `${name} changed during the run${keys ? ` (${configProblem(keys)})` : ''}${why}`,
    help: 'check it: programs outside the sandbox run or read it; ion left it unchanged',
  };
}

function own(what: (keys: readonly string[]) => string): LeftWords {
  return {
    text: (name, keys = []) => `check ${name}: ${what(keys)} in a repository that this run made`,
    help: 'git also runs or obeys it outside the sandbox; ion left it unchanged',
  };
}

/** The problem with a git config. Without keys: git cannot read the file at all. */
function configProblem(keys: readonly string[]): string {
  return keys.length > 0 ? listed(keys) : 'not a config that git can read';
}

function listed(keys: readonly string[]): string {
  const shown = keys.map((key) => quoted(key, 80));
  return shown.length > 5 ? `${shown.slice(0, 5).join(', ')} and ${shown.length - 5} more` : shown.join(', ');
}

function bringBack(kept: string | undefined, config: string, does: string): string {
  return kept === undefined
    ? 'its content is lost: ion cannot write "~/.ion/quarantine"'
    : `"cp ${shellWord(kept)} ${shellWord(config)}" ${does}`;
}

/** The name that `unprotect` uses: `.git/config`, `.git/modules/lib/config`. */
function nameOf(config: string): string {
  return /\/(\.git\/(?:modules\/.+\/)?config)$/.exec(config)?.[1] ?? config;
}
