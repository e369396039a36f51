import type {Message} from '../../errors.ts';

/**
 * The reader of ion's messages about a refusal. A person reads which setting would allow it. A program (an agent that uses
 * `--json`) reads that it has to ask the user, with the id of the denial. It never gets a setting, flag or command of ion that
 * loosens anything. A person at ion's prompt reads advice that works there: an option of the command line does not.
 */
export type Audience = 'person' | 'program' | 'prompt';

export function adviceTo(audience: Audience, help: string | undefined, id?: string): string | undefined {
  if (audience === 'person' || help === undefined) return help;
  if (audience === 'prompt') return atPrompt(help);
  return id === undefined ? 'ask the user' : `ask the user; denial ${id}`;
}

export function messageTo(audience: Audience, message: Message, id?: string): Message {
  return audience === 'person' ? message : {...message, help: adviceTo(audience, message.help, id)};
}

/**
 * The advice of an error, which is not a refusal. Usage help stays. Advice that names a setting, or a way around one,
 * is replaced.
 */
export function errorTo(audience: Audience, help: string | undefined): string | undefined {
  if (audience === 'prompt') return help && atPrompt(help);
  return audience === 'program' && help !== undefined && loosens.test(help) ? 'ask the user' : help;
}

const isModeAdvice = /^drop --read\b|--set permissions\.mode=write\b/;

function atPrompt(help: string): string {
  if (isModeAdvice.test(help)) return '/mode write';
  const offered = ofGrant.test(help) ? '/allow; ' : '';
  return offered + help.replaceAll(/for this run: --(?=set |timeout )/g, 'for one prompt: ion --');
}

/** The keys whose values ion allow proposes (proposals.ts). */
const ofGrant =
  /^for this run: --set '?sandbox\.(?:(?:read|write)_roots|unprotect|unix_sockets|network|workspace)\b/;

const loosens =
  /\b(?:sandbox|permissions|environment|audit|limits)\b|_roots|protect|approval|mode =|\.ion\b|--(?:no-sandbox|config|set|read|timeout)|\bion (?:trust|rules|allow)|without (?:this|it)|leave|take .*(?:out|away)/;
