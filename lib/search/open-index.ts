import type { Passage } from './find-passage.ts';
import { openVolume, type Volume } from './volume.ts';

/** Words of the dialog in the language of the page; `{…}` stands for what is filled in. */
export type Words = Readonly<
  Record<
    | 'open'
    | 'close'
    | 'results'
    | 'found'
    | 'none'
    | 'some'
    | 'everywhere'
    | 'versions'
    | 'recent'
    | 'clear'
    | 'loading'
    | 'failed'
    | 'choose'
    | 'follow'
    | 'similar',
    string
  >
>;

/** `search.json`, see `buildSearchManifest`. */
interface Manifest {
  readonly format: number;
  readonly single: boolean;
  readonly versions: readonly (readonly [slug: string, name: string])[];
  readonly languages: readonly (readonly [
    code: string,
    tag: string,
    volumes: readonly (readonly [file: string, slugs: readonly string[]])[],
    words: Words,
  ])[];
}

/** The index of one language, as the page sees it that search was opened on. */
export interface SearchIndex {
  readonly words: Words;
  /** Slugs in readers' order. */
  readonly slugs: readonly string[];
  /** The version that is read. */
  readonly slug: string;
  nameOf(slug: string): string;
  /** Returns the URL of a page, or of a heading in it. */
  urlOf(slug: string, path: string, id: string): string;
  /** Loads what a search needs: of the version that is read, or of all. Rejects where it cannot be had. */
  load(everywhere: boolean): Promise<readonly Volume[]>;
  /** Loads the texts of sections, in their order. */
  loadTexts(passages: readonly Passage[]): Promise<readonly string[]>;
}

/** The files of indexes, whoever asks for them. */
export interface IndexFiles {
  /** Returns what a JSON file holds; rejects where it cannot be had. */
  load(url: URL): Promise<unknown>;
  /** Keeps volumes by their files, whose names say what is in them; default: as long as the index. */
  readonly recallVolume?: (file: string, open: () => Promise<Volume>) => Volume | Promise<Volume>;
}

/**
 * Opens the index for the page at `href`; undefined where the site has nothing to search. `assets` is the folder of the theme's own
 * files.
 */
export async function openIndex(
  assets: URL,
  href: string,
  languageTag: string,
  { load, recallVolume }: IndexFiles,
): Promise<SearchIndex | undefined> {
  const manifest = (await load(new URL('search.json', assets))) as Manifest;
  const root = new URL('../', assets);
  const { single, versions, languages } = manifest;
  const [first, second] = readPlace(root, href);
  const byCode = languages.find(([code]) => code === first);
  const language = byCode ?? languages.find(([, tag]) => tag === languageTag) ?? languages[0];
  const [latest] = versions;
  if (manifest.format !== 1 || !language || !latest) return undefined;
  const [code, , files, words] = language;
  const isAlias = single || !byCode || !versions.some(([slug]) => slug === second);
  const slug = isAlias ? latest[0] : second!;
  const names = new Map(versions);
  const volumes = new Map<string, Promise<Volume>>();
  const recall = recallVolume ?? ((file, open) => remember(volumes, file, open));
  const texts = new Map<string, Promise<unknown>>();
  return {
    words,
    slugs: versions.map(([one]) => one),
    slug,
    nameOf: (one) => names.get(one) ?? one,
    urlOf(one, path, id) {
      const isDefault = single && language === languages[0];
      // On a page of `latest` its other pages are meant, too.
      const folder = single
        ? isDefault
          ? ''
          : `${code}/`
        : `${code}/${isAlias && one === slug ? 'latest' : encodeURIComponent(one)}/`;
      const page = path
        .replace(/(^|\/)index\.html$/, '$1')
        .split('/')
        .map(encodeURIComponent)
        .join('/');
      return new URL(`${folder}${page}${id && `#${encodeURIComponent(id)}`}`, root).href;
    },
    load: (everywhere) =>
      Promise.all(
        files
          .filter(([, slugs]) => everywhere || slugs.includes(slug))
          .map(([file]) => recall(file, async () => openVolume(await load(new URL(file, assets))))),
      ),
    loadTexts: (passages) =>
      Promise.all(
        passages.map(async ({ volume, section }) => {
          const { file, place } = volume.textOf(section);
          const list = (await remember(texts, file, () => load(new URL(file, assets)))) as readonly string[];
          return list[place] ?? '';
        }),
      ),
  };
}

/** Returns the first two folders of a page below the site's root. */
function readPlace(root: URL, href: string): readonly string[] {
  const { pathname } = new URL(href);
  if (!pathname.startsWith(root.pathname)) return [];
  return pathname.slice(root.pathname.length).split('/').slice(0, 2).map(decode);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Asks once; what failed may be asked for again. */
function remember<T>(known: Map<string, Promise<T>>, file: string, load: () => Promise<T>): Promise<T> {
  let found = known.get(file);
  if (!found) {
    found = load();
    known.set(file, found);
    found.catch(() => known.delete(file));
  }
  return found;
}
