import {constants, openSync} from 'node:fs';
import {ReadStream} from 'node:tty';
import type {Line, LineReader} from './line-reader.ts';
import type {TerminalDevice} from './terminal-device.ts';

/** Reads lines on a terminal that cannot move its cursor. The kernel edits them; ion sends no escape sequence. */
export function openPlainReader(terminal: TerminalDevice): LineReader {
  /** Lines that arrived together with an earlier one. */
  const ahead: string[] = [];
  return {
    async read({prompt, isOpen, ended}) {
      terminal.write(prompt(terminal.size().columns));
      let text: string | undefined;
      for (;;) {
        const piece = ahead.length > 0 ? ahead.shift()! : await nextPiece(ended);
        if (typeof piece !== 'string') {
          terminal.write('\n');
          return piece;
        }
        const [first = '', ...others] = piece.split('\n');
        ahead.push(...others);
        text = text === undefined ? first : `${text}\n${first}`;
        if (!isOpen(text)) return {kind: 'line', text};
        terminal.write('> ');
      }
    },
  };
}

type NoLine = Exclude<Line, {kind: 'line'}>;

/** One or more lines, without the last line break; or the event that came instead. */
function nextPiece(ended: AbortSignal): Promise<string | NoLine> {
  return new Promise((resolve) => {
    const input = new ReadStream(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY));
    input.setEncoding('utf8');
    let text = '';
    const finish = (what: string | NoLine): void => {
      process.removeListener('SIGINT', cancel);
      ended.removeEventListener('abort', gone);
      input.destroy();
      resolve(what);
    };
    const cancel = (): void => finish({kind: 'cancel'});
    const gone = (): void => finish({kind: 'gone'});
    process.on('SIGINT', cancel);
    ended.addEventListener('abort', gone);
    if (ended.aborted) return gone();
    input.on('data', (piece) => {
      text += String(piece);
      if (text.endsWith('\n')) finish(text.slice(0, -1).replaceAll(/(?!\n)\p{Cc}/gu, ''));
    });
    input.on('end', () => finish({kind: text === '' ? 'end' : 'gone'}));
    input.on('error', gone);
  });
}
