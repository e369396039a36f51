import type {ShellStart} from '../session/start.ts';
import {plainForm} from '../shell/shell-arguments.ts';
import type {CommandRun} from './run-in-progress.ts';

/** How bash gets the command `text`. A hook may have replaced the command: then it is not the one in the script. */
export function shellStart({command, form = plainForm, jobserver}: CommandRun, text: string): ShellStart {
  const {source: _, ...asText} = form;
  return {form: text === command ? form : asText, ...(jobserver ? {jobserver} : {})};
}
