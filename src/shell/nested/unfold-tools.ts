import {rest, scanOptions} from '../options.ts';
import {scriptOf, type Call, type Nested} from './nested-call.ts';
import {globalOptions} from './global-options.ts';

/** `make SHELL=cmd`: cmd runs every recipe line. */
export function unfoldMake({argv}: Call): Nested[] {
  return argv.slice(1).flatMap((word) => {
    const found = /^(SHELL|MAKE|CC|CXX|LD|AR)\s*:{0,3}[?+!]?=/.exec(word.text);
    return found ? scriptOf([rest(word, found[0].length)], `make ${found[1]}=`) : evaluated(word);
  });
}

function evaluated(word: Call['argv'][number]): Nested[] {
  const prefix = /^--eval=/.exec(word.text)?.[0];
  if (!prefix) return [];
  const shell = /\$\(shell ([^)]*)\)/.exec(word.text)?.[1];
  return shell ? scriptOf([{...word, text: shell, raw: ''}], 'make --eval') : [];
}

const runners = new Set(['exec', 'x', 'dlx', 'node']);

/** `npm exec -c 'script'`, `npx cmd`, `pnpm exec cmd`, `yarn dlx cmd`. */
export function unfoldPackageRunner({argv, name}: Call): Nested[] {
  const script = argv.findIndex((word) => word.text === '-c' || word.text === '--call');
  const given = argv.findIndex((word) => word.text.startsWith('--call='));
  const found: Nested[] = [];
  if (script !== -1 && argv[script + 1] && name.startsWith('n')) {
    found.push(...scriptOf([argv[script + 1]!], `${name} -c`));
  }
  if (given !== -1) found.push(...scriptOf([rest(argv[given]!, '--call='.length)], `${name} -c`));
  const direct = name === 'npx' || name === 'pnpx' || name === 'bunx';
  const {next} = scanOptions(argv, 1, globalOptions[name] ?? {});
  if (!direct && !runners.has(argv[next]?.text ?? '')) return found;
  const command = scanOptions(argv, direct ? 1 : next + 1, {
    flags: 'y q --yes --no --quiet --no-install --ignore-existing --shell-mode',
    values: 'p c --package --call --workspace w',
  });
  const words = argv.slice(command.next);
  if (words.length > 0) found.push({kind: 'command', argv: words, wrapper: name});
  return found;
}

const containerOptions = {
  flags:
    'd i t P q T --detach --interactive --tty --rm --privileged --init --read-only --no-healthcheck --publish-all --quiet --stdin it --no-deps',
  values:
    'a c e h l m p u v w n --add-host --attach --cap-add --cap-drop --cidfile --cpus --cpuset-cpus --device --dns --entrypoint --env --env-file --expose --gpus --group-add --hostname --ipc --label --link --log-driver --mac-address --memory --mount --name --network --net --pid --platform --publish --pull --restart --security-opt --shm-size --stop-signal --tmpfs --ulimit --user --userns --volume --volumes-from --workdir --container --namespace --image --index',
};

/**
 * `docker exec name cmd`, `docker run image cmd`, `kubectl exec pod -- cmd`: cmd runs elsewhere, but rules still see it.
 */
export function unfoldContainer({argv, name}: Call): Nested[] {
  const {next} = scanOptions(argv, 1, globalOptions[name]!);
  let at = next;
  if (['container', 'compose'].includes(argv[at]?.text ?? '')) at++;
  if (!['run', 'exec'].includes(argv[at]?.text ?? '')) return [];
  const scan = scanOptions(argv, at + 1, containerOptions);
  const dashes = argv.findIndex((word, index) => index > at && word.text === '--');
  const from = dashes === -1 ? scan.next + 1 : dashes + 1;
  const words = argv.slice(from);
  if (words.length === 0) return [];
  return [{kind: 'command', argv: words, wrapper: `${name} ${argv[at]!.text}`, remote: true}];
}
