import {isTable, type Params} from '../wire/message.ts';

/** A tool of one of several servers, as its server defines it. */
export interface FoundTool {
  readonly server: string;
  readonly definition: Params;
}

/** The weight of a query word that occurs in this place. */
const weights = {name: 8, server: 4, title: 4, description: 2, parameters: 1} as const;

/** The tools that fit a query, the best first. Without a word in the query: all, in the order of their servers. */
export function searchTools(tools: readonly FoundTool[], query: string): readonly FoundTool[] {
  const wanted = [...new Set(wordsOf(query))];
  if (wanted.length === 0) return tools;
  return tools
    .map((tool) => ({tool, score: scoreOf(tool, wanted)}))
    .filter(({score}) => score > 0)
    .sort((one, other) => other.score - one.score) // stable
    .map(({tool}) => tool);
}

/** Each word counts once, where it counts most. A part of a word counts half. */
function scoreOf({server, definition}: FoundTool, wanted: readonly string[]): number {
  const {name, title, description, inputSchema} = definition;
  const properties = isTable(inputSchema) ? inputSchema['properties'] : undefined;
  const places = {
    name: wordsOf(name),
    server: wordsOf(server),
    title: wordsOf(title),
    description: wordsOf(description),
    parameters: isTable(properties) ? Object.keys(properties).flatMap(wordsOf) : [],
  };
  return wanted.reduce((sum, word) => {
    const scores = (Object.keys(weights) as (keyof typeof weights)[]).map(
      (place) => weights[place] * closeness(word, places[place]),
    );
    return sum + Math.max(...scores);
  }, 0);
}

function closeness(word: string, words: readonly string[]): number {
  if (words.includes(word)) return 1;
  return words.some((one) => one.includes(word) || (one.length > 3 && word.startsWith(one))) ? 0.5 : 0;
}

const searchedCharacters = 4000;

/** In small letters. `readFile` and `read_file` are two words. */
function wordsOf(text: unknown): string[] {
  if (typeof text !== 'string') return [];
  return text
    .slice(0, searchedCharacters)
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
