import type {Call, Nested} from './nested-call.ts';
import {unfoldFind} from './unfold-find.ts';
import {unfoldGit} from './unfold-git.ts';
import {unfoldParallel} from './unfold-parallel.ts';
import {unfoldShell, unfoldSource} from './unfold-shell.ts';
import {unfoldMake, unfoldPackageRunner, unfoldContainer} from './unfold-tools.ts';
import {
  unfoldAlias,
  unfoldCallback,
  unfoldDeclaration,
  unfoldPrintf,
  unfoldEval,
  unfoldEvaluated,
  unfoldHash,
  unfoldJobs,
  unfoldTrap,
} from './unfold-builtins.ts';
import {unfoldFlock} from './unfold-flock.ts';

type Unfold = (call: Call) => Nested[];

/** Programs that run other programs in a way that does not fit into a row of the wrapper table. */
export const specialWrappers: Readonly<Record<string, Unfold>> = {
  eval: unfoldEval,
  trap: unfoldTrap,
  alias: unfoldAlias,
  mapfile: unfoldCallback,
  readarray: unfoldCallback,
  complete: unfoldCallback,
  compgen: unfoldCallback,
  hash: unfoldHash,
  jobs: unfoldJobs,
  let: unfoldEvaluated,
  test: unfoldEvaluated,
  '[': unfoldEvaluated,
  printf: unfoldPrintf,
  read: unfoldEvaluated,
  unset: unfoldEvaluated,
  declare: unfoldDeclaration,
  typeset: unfoldDeclaration,
  local: unfoldDeclaration,
  export: unfoldDeclaration,
  readonly: unfoldDeclaration,
  wait: unfoldEvaluated,
  getopts: unfoldEvaluated,
  '.': unfoldSource,
  source: unfoldSource,
  bash: unfoldShell,
  sh: unfoldShell,
  dash: unfoldShell,
  ash: unfoldShell,
  zsh: unfoldShell,
  ksh: unfoldShell,
  ksh93: unfoldShell,
  mksh: unfoldShell,
  rbash: unfoldShell,
  fish: unfoldShell,
  csh: unfoldShell,
  tcsh: unfoldShell,
  find: unfoldFind,
  git: unfoldGit,
  parallel: unfoldParallel,
  make: unfoldMake,
  gmake: unfoldMake,
  npm: unfoldPackageRunner,
  npx: unfoldPackageRunner,
  pnpm: unfoldPackageRunner,
  pnpx: unfoldPackageRunner,
  yarn: unfoldPackageRunner,
  bunx: unfoldPackageRunner,
  bun: unfoldPackageRunner,
  docker: unfoldContainer,
  podman: unfoldContainer,
  kubectl: unfoldContainer,
  flock: unfoldFlock,
};
