import {existsSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';

const lookMs = 10;

/** Do what an attack has another process do (attacks.ts), once its script has made `asked`; then make `done`. */
export function actWhenAsked(workspace: string, act: (workspace: string) => void): {end(): void} {
  const [asked, done] = ['asked', 'done'].map((name) => path.join(workspace, name)) as [string, string];
  const timer = setInterval(() => {
    if (!existsSync(asked) || existsSync(done)) return;
    act(workspace);
    writeFileSync(done, '');
  }, lookMs);
  return {
    end: () => {
      clearInterval(timer);
      for (const file of [asked, done]) rmSync(file, {force: true});
    },
  };
}
