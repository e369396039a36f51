import {parse as parseToml} from 'smol-toml';

/** The URLs that a configuration file of a package manager names, as written. */
export interface Named {
  /** The registry that replaces the tool's default. */
  readonly main: readonly string[];
  /** Further registries: for a scope, or an additional index. */
  readonly beside: readonly string[];
}

/** Reads the text of one file. Pure. A text in another form gives no names. */
export type ReadRegistries = (text: string) => Named;

/** `registry=...`, `@scope:registry=...` */
export const npmrc = inLines(/^\s*([^;#\s=][^=]*?)\s*=\s*(.*?)\s*$/, 'registry', /^@[^:]+:registry$/);

/** `registry "..."` */
export const yarnrc = inLines(/^\s*"?([^#\s"]+)"?\s+(.*?)\s*$/, 'registry', /^@[^:]+:registry$/);

/** `npmRegistryServer: "..."`, also below npmScopes. */
export const yarnrcYaml = inLines(
  /^(\s*[^#\s:]+)\s*:\s+(.*?)\s*$/,
  'npmRegistryServer',
  /^\s+npmRegistryServer$/,
);

/** `index-url`, `extra-index-url` of any section; further values of a list are on indented lines. */
export const pipConf: ReadRegistries = (text) => {
  const joined = text.replace(/^\s*[#;].*$/gm, '').replace(/\n[ \t]+(?=\S)/g, ' ');
  const pairs = pairsOf(joined, /^([A-Za-z_-]+)\s*[=:]\s*(.*?)\s*$/).map(
    ([key, value]) => [key.replaceAll('_', '-').toLowerCase(), value] as const,
  );
  const words = pairs.filter(([key]) => key === 'extra-index-url').flatMap(([, value]) => value.split(/\s+/));
  return {main: last(pairs, 'index-url'), beside: words.filter(Boolean)};
};

/** `BUNDLE_MIRROR__HTTPS://...: "..."`, and each URL below `:sources:` of a .gemrc. */
export const bundlerYaml: ReadRegistries = (text) => {
  const mirrors = pairsOf(text, /^\s*(BUNDLE_MIRROR__\S+?)\/?:\s+(.*?)\s*$/)
    .filter(([key]) => !key.endsWith('TIMEOUT'))
    .map(([, value]) => unquoted(value));
  const sources = /^:?sources:\s*\n((?:\s*-\s+.*\n?)+)/m.exec(text)?.[1] ?? '';
  const listed = [...sources.matchAll(/^\s*-\s+(.*?)\s*$/gm)].map(([, value = '']) => unquoted(value));
  return {main: [...mirrors, ...listed], beside: []};
};

/** `repositories` of type composer. */
export const composerJson: ReadRegistries = (text) => {
  const {repositories = []} = jsonOf(text) as {repositories?: object};
  const urls = Object.values(repositories)
    .filter(
      (one: unknown): one is {url: string} =>
        typeof one === 'object' && one !== null && (one as {type?: unknown}).type === 'composer',
    )
    .map(({url}) => url)
    .filter((url) => typeof url === 'string');
  return {main: urls, beside: []};
};

/** The source that replaces crates-io, and `[registries]`. */
export const cargoToml: ReadRegistries = (text) => {
  const {source = {}, registries = {}} = tomlOf(text) as {
    source?: Record<string, {registry?: unknown; 'replace-with'?: unknown}>;
    registries?: Record<string, {index?: unknown}>;
  };
  const replacing = source['crates-io']?.['replace-with'];
  const main = typeof replacing === 'string' ? source[replacing]?.registry : source['crates-io']?.registry;
  return {main: textsOf([main]), beside: textsOf(Object.values(registries).map(({index}) => index))};
};

/** `GOPROXY=URL,URL|direct`, and the server of `GOSUMDB=NAME [URL]`. */
export const goEnv: ReadRegistries = (text) => {
  const pairs = pairsOf(text, /^([A-Z]+)=(.*?)\s*$/);
  const proxies = last(pairs, 'GOPROXY').flatMap((value) => value.split(/[,|]/));
  const isUrl = (value: string): boolean => value.includes('://');
  const sums = last(pairs, 'GOSUMDB').flatMap((value) => {
    const [name = '', url] = value.split(/\s+/);
    if (url !== undefined) return [url];
    return name === 'off' || name === '' ? [] : [`https://${name.split('+')[0]}`];
  });
  return {main: proxies.filter(isUrl), beside: proxies.some(isUrl) ? sums : []};
};

/** Mirrors and repositories that are not blocked. */
export const mavenXml: ReadRegistries = (text) => {
  const plain = text.replace(/<!--[\s\S]*?-->/g, '');
  const blocks = [...plain.matchAll(/<(mirror|repository|pluginRepository)>([\s\S]*?)<\/\1>/g)];
  const urls = blocks
    .filter(([, , body = '']) => !/<blocked>\s*true/.test(body))
    .flatMap(([, , body = '']) => /<url>\s*([^<\s]+)/.exec(body)?.[1] ?? []);
  return {main: urls, beside: []};
};

/** A form with one pair on a line, where `main` is the key of the registry, and `beside` matches those of scopes. */
function inLines(line: RegExp, main: string, beside: RegExp): ReadRegistries {
  return (text) => {
    const pairs = pairsOf(text, line);
    return {
      main: last(pairs, main),
      beside: pairs.filter(([key]) => beside.test(key)).map(([, value]) => unquoted(value)),
    };
  };
}

type Pair = readonly [string, string];

function pairsOf(text: string, line: RegExp): Pair[] {
  return text.split(/\r?\n/).flatMap((one): Pair[] => {
    const [, key, value] = line.exec(one) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value]];
  });
}

function last(pairs: readonly Pair[], wanted: string): string[] {
  const found = pairs.findLast(([key]) => key === wanted)?.[1];
  return found === undefined || found === '' ? [] : [unquoted(found)];
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
}

function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string');
}

function jsonOf(text: string): object {
  return tableOr(() => JSON.parse(text) as unknown);
}

function tomlOf(text: string): object {
  return tableOr(() => parseToml(text, {maxDepth: 32}));
}

/** The tool itself reports a file that it cannot parse. Without names the preset is an error. */
function tableOr(parse: () => unknown): object {
  try {
    const value = parse();
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
