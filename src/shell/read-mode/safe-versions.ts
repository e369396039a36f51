import type {SafeRow} from './safe-options.ts';

interface VersionRow {
  readonly spelled: readonly string[];
  /** Names of the real file, if they differ from the program's name. */
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
 * A program that is asked only for its version ends before it reads a file of the project. Read mode removes the variables
 * that it obeys earlier (NODE_OPTIONS, PYTHON*, MAKEFLAGS). Excluded: programs whose version the project chooses (rustup's
 * cargo, go), and php, which reads a php.ini in the current folder.
 */
function onlyVersion(name: string, {spelled, files}: VersionRow): SafeRow {
  return {
    free: true,
    ...(files ? {files} : {}),
    check: ([first, ...others]) => {
      if (first?.literal && others.length === 0 && spelled.includes(first.text)) return undefined;
      // The word that may make the program do more: the one after the version option, or one that is not a version option.
      const asked = first && spelled.includes(first.text) ? (others[0] ?? first) : first;
      const piece = asked ? `${name} with ${JSON.stringify(asked.raw)}` : `${name} without arguments`;
      return `${piece} may run code: it is safe only with ${spelled.join(' or ')} alone`;
    },
  };
}

export const versionRows: Readonly<Record<string, SafeRow>> = Object.fromEntries(
  Object.entries(programs).map(([name, row]) => [name, onlyVersion(name, row)]),
);
