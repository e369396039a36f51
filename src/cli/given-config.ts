import type {GivenConfig} from '../config/read/layers.ts';
import {readGivenFile} from '../system/small-file.ts';

/**
 * The file of `--config`, or the text behind a descriptor of ion itself: bash's `<(...)` is /dev/fd/63. Read once, because the text of a
 * pipe is gone then.
 */
export function givenConfig(named: string | undefined): {readonly configFile?: string | GivenConfig} {
  if (named === undefined) return {};
  const number =
    /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/.exec(named)?.[1] ?? (named === '/dev/stdin' ? '0' : undefined);
  if (number === undefined) return {configFile: named};
  return {configFile: {shown: named, file: readGivenFile(Number(number), named)}};
}
