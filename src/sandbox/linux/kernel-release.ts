/** The oldest kernel that ion is tested on (test/kernels). An older kernel gets what the probe finds. */
const oldest = {major: 5, minor: 10} as const;

/** The warning for an untested kernel (by its release, as in uname -r); undefined for one that is new enough. */
export function untestedKernel(release: string): string | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(release) ?? [];
  const isOlder =
    Number(major) < oldest.major || (Number(major) === oldest.major && Number(minor) < oldest.minor);
  if (!isOlder) return undefined;
  return `not tested on this kernel: Linux ${release} is older than ${oldest.major}.${oldest.minor}`;
}
