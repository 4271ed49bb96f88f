import { type ConfigValues, readableText, readDataConfig } from '../../config/config-values.ts';
import { text } from '../../config/data-values.ts';
import type { Place, ReadFile } from '../../config/parse-script.ts';
import { COMPUTED } from '../../config/script-values.ts';
import type { NavigationSite, NavNote, NavTarget } from './navigation-items.ts';

/** The settings of another generator that a project file has, too. Plain data. */
export interface ForeignSettings {
  title?: string | undefined;
  /** Plain text; `url` is one that the generator would link to. */
  announcement?: { readonly text: string; readonly target?: NavTarget | undefined } | undefined;
  /** Paths of images from the folders whose files are published at the root, or from the configuration; or URLs. */
  logo?: string | undefined;
  /** The logo on dark ground. */
  logoDark?: string | undefined;
  favicon?: string | undefined;
  /** Shown where somebody shares a page. */
  image?: string | undefined;
  /** Pages say when git last saw them change. */
  lastUpdated?: true;
  /** A CSS colour. */
  accent?: string | undefined;
  /** Plain text. */
  footer?: string | undefined;
  readonly links: ForeignLink[];
  /** Menus that are columns of the footer. */
  readonly columns: ForeignLink[];
  readonly redirects: ForeignRedirect[];
  /** Settings that are not taken over. */
  readonly notes: NavNote[];
}

/** A link of the header, or a menu of links. */
export interface ForeignLink {
  readonly title: string;
  /** Titles in other languages, by code. */
  readonly titles?: Readonly<Record<string, string>> | undefined;
  readonly target?: NavTarget | undefined;
  /** Name of a code host or another service, in lower case. */
  readonly icon?: string | undefined;
  readonly links?: readonly ForeignLink[] | undefined;
  readonly place: Place;
}

/** A redirect from an old URL, from the root of the generator's site, to a page or URL. */
export interface ForeignRedirect {
  readonly from: string;
  readonly to: NavTarget;
  readonly place: Place;
}

/** Reads the settings in a generator's configuration, which is never run. */
export interface SettingsFormat {
  /** Returns the files that the configuration may be; the first that exists counts. */
  listFiles(site: NavigationSite): readonly string[];
  read(file: string, site: NavigationSite, read: ReadFile): Promise<ForeignSettings>;
}

/** Returns no settings. */
export function createSettings(): ForeignSettings {
  return { links: [], columns: [], redirects: [], notes: [] };
}

const MAX_NOTES = 200;

/** Adds what is not taken over, once for a place. */
export function note({ notes }: ForeignSettings, { file, line }: Place, message: string): void {
  const isKnown = notes.some((other) => other.line === line && other.file === file && other.message === message);
  if (!isKnown && notes.length < MAX_NOTES) notes.push({ file, line, message });
}

/** Returns the settings of a configuration that cannot be read. */
export function unreadableSettings(
  file: string,
  problem?: { readonly reason: string; readonly line: number },
): ForeignSettings {
  const settings = createSettings();
  note(settings, { file, line: problem?.line ?? 0 }, `The file cannot be read${problem ? `: ${problem.reason}` : ''}`);
  return settings;
}

/** Reads settings that are data in one file; `take` takes over what it says. */
export function readDataSettings(take: (reading: Reading) => void): SettingsFormat['read'] {
  return async (file, _site, read) => {
    const config = await readDataConfig(file, (await read(file)) ?? '');
    if (config.problem) return unreadableSettings(file, config.problem);
    const settings = createSettings();
    take({ config, settings });
    return settings;
  };
}

/** The values of one configuration, and the settings that are read from it. */
export interface Reading {
  readonly config: ConfigValues;
  readonly settings: ForeignSettings;
}

type Path = readonly (string | number)[];

/** Returns the text at a path, as it is written; reports one that is computed. */
export function readText({ config, settings }: Reading, ...path: Path): string | undefined {
  const value = config.get(...path);
  if (value === COMPUTED) note(settings, config.placeOf(...path), `${quote(path)} is computed`);
  return value === COMPUTED ? undefined : text(value);
}

/** Returns the text at a path as readers see it; reports one that is computed. */
export function readWords(reading: Reading, ...path: Path): string | undefined {
  return readableText(readText(reading, ...path));
}

/** Notes which languages have a title of their own, by the paths of their titles: a site has one. */
export function noteTitles(reading: Reading, titles: readonly { readonly at: Path; readonly place: Place }[]): void {
  const { config, settings } = reading;
  for (const { at, place } of titles) {
    const title = readableText(config.get(...at));
    if (title !== undefined && title !== settings.title)
      note(settings, place, `Title "${title}" is not taken over: a site has one for all languages`);
  }
}

/** The fate of keys: true = taken over, or nothing that readers miss; a text is the advice to the author. */
export type KeyTable = Readonly<Record<string, true | string>>;

/** Returns the part of a table for keys, separated by blanks, that are taken over or of which nothing is missed. */
export function handled(keys: string): KeyTable {
  return Object.fromEntries(keys.split(/\s+/).map((key) => [key, true] as const));
}

/** Reports the keys of the map at a path that are not taken over: those with a text, and those that a table lacks. */
export function reportKeys({ config, settings }: Reading, table: KeyTable, ...path: Path): void {
  const known = new Map(Object.entries(table).map(([key, value]) => [key.toLowerCase(), value]));
  for (const key of config.keys(...path)) {
    const value = config.get(...path, key);
    const isEmpty =
      value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
    const outcome = known.get(key.toLowerCase());
    if (outcome === true || isEmpty || value === false) continue;
    const advice = outcome === undefined ? '' : `: ${outcome}`;
    note(settings, config.placeOf(...path, key), `${quote([...path, key])} is not taken over${advice}`);
  }
  if (config.isPartial(...path)) {
    const what = path.length === 0 ? 'The configuration' : quote(path);
    note(settings, config.placeOf(...path), `${what} has parts that are computed`);
  }
}

function quote(path: Path): string {
  return `"${path.join('.')}"`;
}

/** Returns what a URL of a generator leads to. */
export function addressTarget(path: string): NavTarget {
  // Browsers add the scheme of the page; nobody else has a use for such URLs.
  return { kind: 'address', path: path.startsWith('//') ? `https:${path}` : path };
}

/** Adds the redirects that a map of old URLs to new ones lists; a target may be in a map under `destination`. */
export function readRedirects(reading: Reading, ...path: Path): void {
  const { config, settings } = reading;
  for (const from of config.keys(...path)) {
    const value = config.get(...path, from);
    const at = typeof value === 'object' && value !== null ? [...path, from, 'destination'] : [...path, from];
    const to = readText(reading, ...at);
    const place = config.placeOf(...path, from);
    if (to !== undefined) settings.redirects.push({ from, to: addressTarget(to), place });
  }
  if (config.isPartial(...path))
    note(settings, config.placeOf(...path), 'Redirects that are computed are not taken over');
}

/** The style sheets of another theme do not fit this one. */
export const STYLES_ADVICE =
  'styles made for another theme do not fit; "theme.styles" takes a CSS file made for this one';
/** The URL of the whole site depends on where it is published, which a repository does not say. */
export const BASE_URL_ADVICE = 'pass the URL of the site with --base-url';

/** Services whose names are not their icon's with a capital letter. */
const SERVICES: Readonly<Record<string, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  youtube: 'YouTube',
  linkedin: 'LinkedIn',
  npm: 'npm',
  codeberg: 'Codeberg',
  stackoverflow: 'Stack Overflow',
  'x-twitter': 'X',
  'x.com': 'X',
  openCollective: 'Open Collective',
};

/** Returns what a service is called, by the name of its icon. */
export function nameService(icon: string): string {
  return Object.hasOwn(SERVICES, icon) ? SERVICES[icon]! : icon.charAt(0).toUpperCase() + icon.slice(1);
}

/** Adds the link to the repository that a setting names: a URL, or `owner/name` at GitHub. */
export function addRepositoryLink(settings: ForeignSettings, repository: string, place: Place): void {
  const url = /^[\w.-]+\/[\w.-]+$/.test(repository) ? `https://github.com/${repository}` : repository;
  const icon = /github|gitlab/.exec(url)?.[0];
  const title = icon === undefined ? 'Source' : nameService(icon);
  settings.links.push({ title, target: addressTarget(url), icon, place });
}
