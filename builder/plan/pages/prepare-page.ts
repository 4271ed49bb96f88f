import { createBoundedMap } from '../../../lib/bounded-map.ts';
import type { Cache } from '../../cache/cache.ts';
import { contentKey } from '../../cache/content-key.ts';
import type { Generator } from '../../generators/generators.ts';
import { changesAllPages } from '../../markdown/page/dialect.ts';
import type { PathFinder, VersionComponents } from '../versions/version-source.ts';
import type { BuildExtensions, PageExtensions } from './page-extensions.ts';
import {
  collectPageInputs,
  type MetaReader,
  type PageInputs,
  type PageReading,
  type TextFacts,
  type TextReader,
} from './page-inputs.ts';

export interface PageSource {
  readonly oid: string;
  /** Path from the repository's root. */
  readonly path: string;
  /** Folder that `@/` means in an include, from the repository's root with a final `/`, or ''. */
  readonly sourceFolder: string;
  readonly generator: Generator | undefined;
  readonly reading: PageReading;
  readonly find: PathFinder;
  /** Those of its version. */
  readonly components: VersionComponents | undefined;
  /** Words the renderer adds, in the language of the text. */
  readonly titles: Readonly<Record<string, string>>;
}

/** A page whose file has been inspected, and the key that covers everything that determines it. */
export interface PreparedPage extends Pick<PageInputs, 'includes' | 'omitted'> {
  readonly source: PageSource;
  readonly key: string;
  /** Its front matter sets no title. */
  readonly hasLooseLevels: boolean;
  /** The title of its front matter, if it is shown as a heading. */
  readonly heading: string | undefined;
  readonly facts: TextFacts;
  readonly extensions: PageExtensions;
}

/** Number of pages without includes that a build keeps in memory. */
const PLAIN_PAGES = 20_000;

/** Creates a function that finds out what determines a page; `options` stands for the options of the build, which all of its pages share. */
export function createPagePreparer({
  texts,
  cache,
  extensions: all,
  readMeta,
  options,
}: {
  readonly texts: TextReader;
  readonly cache: Pick<Cache, 'key'>;
  readonly extensions: Pick<BuildExtensions, 'select'>;
  readonly readMeta: MetaReader;
  readonly options: string;
}): (source: PageSource) => Promise<PreparedPage> {
  const plain = createBoundedMap<string, PreparedPage>({ maxEntries: PLAIN_PAGES });
  const titleHashes = new Map<object, string>();
  return prepare;

  async function prepare(source: PageSource): Promise<PreparedPage> {
    const facts = await texts.inspect(source.oid);
    // Versions share most pages, and those that include nothing are the same wherever they lie.
    const isPlain = facts.includes.length === 0 && source.reading.appended.length === 0;
    const references = source.reading.hasReferences ? 'references' : '';
    const place = `${source.oid} ${source.generator ?? ''} ${references} ${source.path.endsWith('.mdx')} ${hashTitles(source.titles)} ${source.components?.key ?? ''}`;
    const known = isPlain ? plain.get(place) : undefined;
    if (known) return { ...known, source };
    const { title, layout, hidesTitle } = await readMeta(source.oid, source.generator);
    const heading = hidesTitle || layout === 'home' ? undefined : title;
    const hasLooseLevels = title === undefined && layout === 'doc';
    const { includes, omitted, tags, dependsOnGenerator } = await collectPageInputs(source, texts);
    const oids = [source.oid, ...includes.map(({ oid }) => oid)];
    const extensions = await all.select({ oids, names: tags, templates: source.components });
    const key = cache.key('page', [
      options,
      hashTitles(source.titles),
      source.oid,
      source.path.endsWith('.mdx') ? 'mdx' : '',
      heading ?? '',
      hasLooseLevels ? 'loose' : '',
      includes.map(({ path, oid }) => `${path}:${oid}`).join('\n'),
      dependsOnGenerator || changesAllPages(source.generator) ? `${source.generator ?? ''} ${references}` : '',
      // The location of a page matters only for its includes.
      includes.length > 0 ? `${source.path}\n${source.sourceFolder}\n${source.reading.key}` : '',
      // A page to which none applies is the same as without them.
      ...(extensions.key === '' ? [] : [extensions.key]),
    ]);
    const prepared = { source, key, heading, hasLooseLevels, includes, omitted, facts, extensions };
    if (isPlain) plain.set(place, prepared);
    return prepared;
  }

  function hashTitles(titles: Readonly<Record<string, string>>): string {
    const hash = titleHashes.get(titles) ?? contentKey(JSON.stringify(titles));
    titleHashes.set(titles, hash);
    return hash;
  }
}
