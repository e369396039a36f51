/**
 * Reports whether `path` is `root` or below it, by whole components: `/a/foo-evil` is not below `/a/foo`. Both must be
 * absolute and normalized.
 */
export function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`);
}
