import {constants, openSync} from 'node:fs';
import {ReadStream} from 'node:tty';

/** The terminal's input as it is typed, without echo and without signals. */
export interface RawInput {
  /** Calls `take` with each piece, and with undefined when the terminal has hung up. */
  onPiece(take: (text: string | undefined) => void): void;
  /** Restores the terminal. Unread input stays for the next reader. */
  close(): void;
}

export function openRawInput(): RawInput {
  const input = new ReadStream(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY));
  input.setRawMode(true);
  input.setEncoding('utf8');
  return {
    onPiece(take) {
      input.on('data', (piece) => take(String(piece)));
      input.on('end', () => take(undefined));
      input.on('error', () => take(undefined));
    },
    close() {
      try {
        input.setRawMode(false);
      } catch {
        // The terminal has hung up.
      }
      input.destroy();
    },
  };
}
