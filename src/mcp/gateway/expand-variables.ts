import {IonError, quoted} from '../../errors.ts';
import {copyOfEntry} from '../../config/server-sections.ts';
import type {Session} from '../../session/session.ts';
import type {ServerSpec} from './server-spec.ts';

/** `${NAME}`, or `${NAME:-default}`. */
const reference = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/**
 * Replaces references to variables in a server's entry of `.mcp.json`, as hosts do. ion does not insert a variable that the
 * sandbox keeps from commands. A project chooses these words, and could otherwise read the user's tokens.
 */
export function expandVariables(
  {server, words, environment, file}: ServerSpec,
  {host, facts}: Session,
  isOfProject: boolean,
): Pick<ServerSpec, 'words' | 'environment'> {
  if (file === undefined) return {words, environment};
  const removed = new Set(facts.environmentRemoved);
  const expanded = (text: string): string =>
    text.replaceAll(reference, (_, name: string, otherwise: string | undefined) => {
      if (removed.has(name))
        throw new IonError(
          `the server ${quoted(server)} in ${quoted(file)} asks for the variable ${name}, which commands do not get`,
          {
            help: `${isOfProject ? `${copyOfEntry}; ` : ''}in ~/.ion/config.toml: [mcp.${server}.environment], keep = ["${name}"]`,
          },
        );
      const value = host.environment[name] ?? otherwise;
      if (value === undefined)
        throw new IonError(
          `the server ${quoted(server)} in ${quoted(file)} asks for the variable ${name}, which is not set`,
        );
      return value;
    });
  const variables = Object.entries(environment).map(([name, value]) => [name, expanded(value)]);
  return {words: words.map(expanded), environment: Object.fromEntries(variables) as Record<string, string>};
}
