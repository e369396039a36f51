import {isWithin} from '../../system/is-within.ts';

/** Folders that a build makes again. */
const made = new Set(
  [
    'build dist out target node_modules coverage obj _build CMakeFiles __pycache__ htmlcov',
    '.cache .next .nuxt .svelte-kit .turbo .parcel-cache .gradle .pytest_cache .mypy_cache .ruff_cache .tox .nyc_output .venv venv',
  ].flatMap((line) => line.split(' ')),
);
const madeByPattern = /^cmake-build-|\.egg-info$/;

/** Reports whether the path is in a folder of the workspace that a build makes again. */
export function isBuildFolder(path: string, workspace: string): boolean {
  return (
    isWithin(path, workspace) &&
    path
      .slice(workspace.length)
      .split('/')
      .some((name) => made.has(name) || madeByPattern.test(name))
  );
}
