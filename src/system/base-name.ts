/** The part of a path after its last slash. Unlike path.basename(), '' for a path that ends in a slash. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
