import type {SafeRow} from './safe-options.ts';

/**
 * Asked for its version, and for nothing else, the program ends before it reads a file of the project. Read mode takes away what it
 * obeys before that (NODE_OPTIONS, PYTHON*, MAKEFLAGS). Not so what a project picks for itself (rustup's cargo, go), and php,
 * which reads a php.ini where it starts.
 */
const onlyVersion = (...spelled: readonly string[]): SafeRow => ({
  free: true,
  check: (words) =>
    words.length === 1 && words[0]!.literal && spelled.includes(words[0]!.text)
      ? undefined
      : `it runs programs: alone with ${spelled.join(' or ')} it is safe`,
});

const compiler = (name: string): SafeRow => ({...onlyVersion('--version', '-v'), files: [name]});

export const versionRows: Readonly<Record<string, SafeRow>> = {
  node: {...onlyVersion('--version', '-v'), files: ['nodejs']},
  python3: onlyVersion('--version', '-V'),
  python: {...onlyVersion('--version', '-V'), files: ['python3']},
  pip: {...onlyVersion('--version', '-V'), files: ['pip3']},
  pip3: onlyVersion('--version', '-V'),
  perl: onlyVersion('--version', '-v'),
  ruby: {...onlyVersion('--version', '-v'), files: ['ruby']},
  java: onlyVersion('-version', '--version'),
  javac: onlyVersion('-version', '--version'),
  gcc: compiler('gcc'),
  'g++': compiler('g++'),
  cc: {...compiler('gcc'), files: ['gcc', 'clang']},
  'c++': {...compiler('g++'), files: ['g++', 'clang', 'clang++']},
  clang: compiler('clang'),
  make: {...onlyVersion('--version', '-v'), files: ['gmake']},
  cmake: onlyVersion('--version'),
  docker: onlyVersion('--version', '-v'),
};
