// The kernels that the documents claim to support: Debian's own, oldest first.

const imageOf = (version) => new RegExp(`^linux-image-${version}[^ ]*-amd64$`);

export const kernels = [
  {id: '5.10', of: 'Debian 11', suite: 'bullseye', image: imageOf('5\\.10\\.')},
  {id: '6.1', of: 'Debian 12', suite: 'bookworm', image: imageOf('6\\.1\\.')},
  {id: '6.12', of: 'Debian 13', suite: 'trixie', image: imageOf('6\\.12\\.')},
  {id: 'newest', of: 'Debian experimental', suite: 'experimental', image: imageOf('[0-9]+\\.')},
];
