import { type Data, map, own, text } from '../../config/data-values.ts';
import type { Place, ReadFile } from '../../config/parse-script.ts';
import type { ScriptData } from '../../config/script-data.ts';
import { COMPUTED } from '../../config/script-values.ts';

/** The target of a navigation entry, in its generator's terms. */
export type NavTarget =
  /** Path of a file from the repository's root. */
  | { readonly kind: 'file'; readonly path: string }
  /** The Docusaurus id of a page. */
  | { readonly kind: 'id'; readonly path: string }
  /** Id of an instance of Docusaurus' docs plugin, '' = the main one: a sidebar of it leads to its first page. */
  | { readonly kind: 'sidebar'; readonly path: string }
  /** URL from the root of the generator's site, perhaps with an anchor; or an absolute one. */
  | { readonly kind: 'address'; readonly path: string };

/** An entry of a generator's own navigation. Plain data. */
export interface NavItem {
  readonly title: string | undefined;
  /** Titles in other languages, by language key. */
  readonly translations?: Readonly<Record<string, string>> | undefined;
  readonly target?: NavTarget | undefined;
  readonly children: readonly NavItem[];
  /** All pages of this folder belong here, with a final `/`; '' = all pages. */
  readonly folder?: string | undefined;
  readonly isCollapsed?: boolean | undefined;
  /** The title is shown even without a target and children. */
  readonly isLabel?: boolean | undefined;
  readonly place: Place;
}

/** The navigation in a generator's own files. Plain data. */
export interface GeneratorNavigation {
  /** Items by language key; those of '' are for languages without their own. */
  readonly languages: Readonly<Record<string, readonly NavItem[]>>;
  /** Whether it is complete; if parts are computed, pages may be missing. */
  readonly isComplete: boolean;
  /** Pages that are not to be added where others that are missing are. */
  readonly hides?: readonly NavTarget[];
  /** The home page, if it is missing, is not to be added. */
  readonly leavesOutHome?: boolean;
  /** Warnings about parts of the files that could not be used. */
  readonly notes: readonly NavNote[];
}

/** A warning about a part of a navigation file that could not be used. */
export interface NavNote extends Place {
  readonly message: string;
}

/**
 * The locations of a generator's pages and configuration; all folders from the repository's root, with a final `/`, or
 * ''.
 */
export interface NavigationSite {
  /** Folder of its configuration. */
  readonly home: string;
  /** Folder of its pages. */
  readonly content: string;
  /** Folders of languages inside that of the pages, by language key. */
  readonly languageFolders: ReadonlyMap<string, string>;
  /** Languages in names of files, by language key: `guide.zh_CN.md` → `zh_CN`. */
  readonly languageSuffixes?: ReadonlyMap<string, string>;
}

/** The navigation format of a generator. Scripts are read as data and never run. */
export interface NavigationFormat {
  /** Returns the files that may contain the navigation, or lead to it; the first that exists counts. */
  listFiles(site: NavigationSite): readonly string[];
  /** Reads the navigation, beginning with one of these files. Returns undefined when there is none. */
  read(file: string, site: NavigationSite, read: ReadFile): Promise<GeneratorNavigation | undefined>;
}

/** Returns the possible names of a script in any form of JavaScript or TypeScript. */
export function listScripts(name: string): readonly string[] {
  return ['ts', 'js', 'mts', 'mjs', 'cjs', 'cts'].map((ending) => `${name}.${ending}`);
}

/** Returns the empty navigation of a script that cannot be parsed, with a warning. */
export function noteUnreadable(file: string): GeneratorNavigation {
  const message = 'Navigation left out: the script cannot be parsed';
  return { languages: {}, isComplete: false, notes: [{ file, line: 0, message }] };
}

/** Limit of entries in one navigation. */
const MAX_ITEMS = 5_000;
const MAX_DEPTH = 20;

/** Collects the items of one navigation within limits. */
export interface NavBuilder {
  readonly notes: NavNote[];
  isComplete: boolean;
  /** Adds a warning about a part that cannot be used; its pages are then shown at the end. */
  skip(place: Place, message: string): void;
  /** Returns an item unless there are too many, or they are nested too deeply. */
  add(item: NavItem, depth: number): readonly NavItem[];
}

/** Creates an empty collection. */
export function createNavBuilder(): NavBuilder {
  let count = 0;
  const builder: NavBuilder = {
    notes: [],
    isComplete: true,
    skip({ file, line }, message) {
      builder.isComplete = false;
      if (builder.notes.length < 20) builder.notes.push({ file, line, message });
    },
    add(item, depth) {
      if (depth <= MAX_DEPTH && ++count <= MAX_ITEMS) return [item];
      if (builder.isComplete) builder.skip(item.place, 'Navigation has too many entries; the rest is left out');
      return [];
    },
  };
  return builder;
}

/** Puts the items of a list below the labels before them; a label without a title only ends what stands below another one. */
export function groupByLabels(items: readonly NavItem[]): readonly NavItem[] {
  const groups: NavItem[] = [];
  let below = groups;
  for (const item of items) {
    if (!item.isLabel) below.push(item);
    else if (item.title === undefined) below = groups;
    else {
      below = [];
      groups.push({ ...item, isLabel: undefined, children: below });
    }
  }
  return groups;
}

/** Returns a text as readers see it: labels may hold HTML. */
export function plainText(value: unknown): string | undefined {
  const words = text(value)
    ?.slice(0, 1_000)
    .replace(/<[^<>]*>/g, '')
    .trim();
  return words === '' ? undefined : words;
}

/** Returns a map's titles in other languages, by language key. */
export function readTranslations(value: unknown): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(map(value) ?? {}).flatMap(([code, words]) => {
    const title = plainText(words);
    return title === undefined ? [] : [[code.replaceAll('_', '-').toLowerCase(), title] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The context of reading lists in script data. */
export interface ScriptContext {
  readonly script: ScriptData;
  readonly builder: NavBuilder;
}

/** Returns the items of a list in a script; computed parts are reported. */
export function readList(
  value: unknown,
  { script, builder }: ScriptContext,
  where: Place,
  read: (item: unknown, place: Place) => readonly NavItem[],
): readonly NavItem[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    builder.skip(
      where,
      `Navigation is ${value === COMPUTED ? 'computed' : 'not a list'} here; its pages are shown at the end`,
    );
    return [];
  }
  if (script.isPartial(value)) {
    builder.skip(script.placeOf(value), 'Parts of the navigation are computed; their pages are shown at the end');
  }
  return value.flatMap((item: unknown, index) => read(item, script.placeOf(value, index)));
}

/** Returns whether a map sets its group to be collapsed. */
export function readCollapsed(data: Data, key = 'collapsed'): boolean | undefined {
  const value = own(data, key);
  return typeof value === 'boolean' ? value : undefined;
}
