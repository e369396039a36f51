import type {SafeRow} from './safe-options.ts';

interface VersionRow {
  readonly spelled: readonly string[];
  /** Names of the real file, where that is not the program's own. */
  readonly files?: readonly string[];
}

const short: VersionRow = {spelled: ['--version', '-v']};
const capital: VersionRow = {spelled: ['--version', '-V']};
const java: VersionRow = {spelled: ['-version', '--version']};
const long: VersionRow = {spelled: ['--version']};

const programs: Readonly<Record<string, VersionRow>> = {
  node: {...short, files: ['nodejs']},
  python3: capital,
  python: {...capital, files: ['python3']},
  pip: {...capital, files: ['pip3']},
  pip3: capital,
  perl: short,
  ruby: {...short, files: ['ruby']},
  java,
  javac: java,
  gcc: {...short, files: ['gcc']},
  'g++': {...short, files: ['g++']},
  cc: {...short, files: ['gcc', 'clang']},
  'c++': {...short, files: ['g++', 'clang', 'clang++']},
  clang: {...short, files: ['clang']},
  make: {...short, files: ['gmake']},
  cmake: long,
  docker: short,
};

/**
 * Asked for its version, and for nothing else, the program ends before it reads a file of the project. Read mode takes away what it
 * obeys before that (NODE_OPTIONS, PYTHON*, MAKEFLAGS). Not so what a project picks for itself (rustup's cargo, go), and php,
 * which reads a php.ini where it starts.
 */
function onlyVersion(name: string, {spelled, files}: VersionRow): SafeRow {
  return {
    free: true,
    ...(files ? {files} : {}),
    check: ([first, ...others]) => {
      if (first?.literal && others.length === 0 && spelled.includes(first.text)) return undefined;
      // An option to ask for the version, with more behind it: that is what may run.
      const asked = first && spelled.includes(first.text) ? (others[0] ?? first) : first;
      const piece = asked ? `${name} with ${JSON.stringify(asked.raw)}` : `${name} without arguments`;
      return `${piece} may run code: it is safe only with ${spelled.join(' or ')} alone`;
    },
  };
}

export const versionRows: Readonly<Record<string, SafeRow>> = Object.fromEntries(
  Object.entries(programs).map(([name, row]) => [name, onlyVersion(name, row)]),
);
