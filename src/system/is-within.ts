/** Is `path` the folder `root` or below it? Whole components: `/a/foo-evil` is not below `/a/foo`. Both absolute and clean. */
export function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`);
}
