export interface SearchPage extends SearchContent {
  /** Path of the HTML file inside the release. */
  readonly path: string;
  /** Readers reach it and do not find it: it is not part of the index. */
  readonly isHidden?: true;
  /** It is shown in the default language, for want of a translation. */
  readonly isFallback?: true;
}

/** The text of a page; two pages with the same content are found as one. */
export interface SearchContent {
  readonly title: string;
  /** Key of what was kept of its text, see `encodePageEntry`; '' = it could not be read. */
  readonly key: string;
  /** Text above the page's own, from its front matter, or ''. */
  readonly lead: string;
}

/** The pages of a release, in the order of their paths. */
export interface SearchList {
  /** Hash of them. */
  readonly id: string;
  readonly pages: readonly SearchPage[];
}

/** The pages of one language in some versions, which are searched together. */
export interface SearchVolume {
  readonly language: string;
  readonly versions: readonly { readonly slug: string; readonly pages: readonly SearchPage[] }[];
}

/** The index of a volume before it is made: where its pages are, and what they say in segments. */
export interface VolumePlan {
  /** Slugs of its versions, the oldest first. */
  readonly versions: readonly string[];
  /** Runs of versions with the same content, three numbers each: places of the first and last version, and of the content. */
  readonly pages: readonly (readonly [path: string, runs: readonly number[]])[];
  /** Contents are counted through all segments. */
  readonly segments: readonly (readonly SearchContent[])[];
}

/** Maximum ratio of a volume's pages to those of its largest version: readers of one version load all of its volume. */
const MAX_GROWTH = 3;

/**
 * Divides the versions of a language, the oldest first, into volumes. Versions share most of their content, so that all of
 * them together are hardly larger than one; where they do not, a new volume begins.
 */
export function divideIntoVolumes(language: string, versions: SearchVolume['versions']): readonly SearchVolume[] {
  const volumes: SearchVolume['versions'][] = [];
  let volume: SearchVolume['versions'][number][] = [];
  let contents = new Set<string>();
  let largest = 0;
  for (const version of versions) {
    const own = new Set(version.pages.map(identify));
    const together = contents.size + [...own].filter((content) => !contents.has(content)).length;
    largest = Math.max(largest, own.size);
    if (volume.length > 0 && together > MAX_GROWTH * largest) {
      volumes.push(volume);
      volume = [];
      contents = new Set();
      largest = own.size;
    }
    volume.push(version);
    for (const content of own) contents.add(content);
  }
  if (volume.length > 0) volumes.push(volume);
  return volumes.map((list) => ({ language, versions: list }));
}

/** Contents of a segment; where a page has more, all of them are in one. */
const MAX_SEGMENT = 24;

/**
 * Plans the index of a volume. Pages stand in the order of their paths, and the path alone says where a segment begins: a
 * page that changes, comes or goes changes one segment, and all others are those of the last build.
 */
export function planVolume({ versions }: SearchVolume): VolumePlan {
  const segments: SearchContent[][] = [];
  let segment: SearchContent[] = [];
  const places = new Map<string, number>();
  const addContent = ({ title, key, lead }: SearchPage): number => {
    const content = { title, key, lead };
    const identity = identify(content);
    const known = places.get(identity);
    if (known !== undefined) return known;
    segment.push(content);
    places.set(identity, places.size);
    return places.size - 1;
  };
  const pages = [...collectPaths(versions)].map(([path, copies]) => {
    if (segments.length === 0 || segment.length >= MAX_SEGMENT || beginsSegment(path)) {
      segment = [];
      segments.push(segment);
    }
    const runs: number[] = [];
    for (const [version, page] of copies) {
      const content = addContent(page);
      const [to, last] = [runs.at(-2), runs.at(-1)];
      if (to === version - 1 && last === content) runs[runs.length - 2] = version;
      else runs.push(version, version, content);
    }
    return [path, runs] as const;
  });
  return {
    versions: versions.map(({ slug }) => slug),
    pages,
    segments: segments.filter(({ length }) => length > 0),
  };
}

/**
 * Returns the index file of a volume: `{format, versions, pages, segments: [[text file, part]]}`, see `VolumePlan` and
 * `SearchSegment`; each segment comes with the name of the file that has its texts.
 */
export function presentVolume(
  { versions, pages }: VolumePlan,
  segments: readonly { readonly textFile: string; readonly part: Uint8Array }[],
): Uint8Array {
  const parts = segments.flatMap(({ textFile, part }, at) => [
    Buffer.from(`${at === 0 ? '' : ','}[${JSON.stringify(textFile)},`),
    part,
    Buffer.from(']'),
  ]);
  const first = Buffer.from(`${JSON.stringify({ format: 2, versions, pages }).slice(0, -1)},"segments":[`);
  return Buffer.concat([first, ...parts, Buffer.from(']}')]);
}

/** Returns the pages of all versions by path, in the order of paths, each with the places of its versions. */
function collectPaths(
  versions: SearchVolume['versions'],
): ReadonlyMap<string, readonly (readonly [number, SearchPage])[]> {
  const paths = new Map<string, (readonly [number, SearchPage])[]>();
  for (const [version, { pages }] of versions.entries()) {
    for (const page of pages) {
      const copies = paths.get(page.path);
      if (copies) copies.push([version, page]);
      else paths.set(page.path, [[version, page]]);
    }
  }
  return new Map([...paths].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** One path in eight begins a segment, by its FNV-1a hash. */
function beginsSegment(path: string): boolean {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  return ((hash ^ (hash >>> 15)) & 7) === 0;
}

function identify({ key, title, lead }: SearchContent): string {
  return `${key}\0${title}\0${lead}`;
}

/** Name of the file that says what can be searched; all other files of the index have names by their content. */
export const SEARCH_MANIFEST = 'search.json';

interface SearchManifestInput {
  /** One version only, at the site's root. */
  readonly single: boolean;
  /** In readers' order, the latest first. */
  readonly versions: readonly { readonly name: string; readonly slug: string }[];
  /** The default language first. */
  readonly languages: readonly {
    readonly code: string;
    readonly tag: string;
    readonly volumes: readonly { readonly file: string; readonly versions: readonly string[] }[];
    /** Words of the dialog, by the names of `lib/search/open-index.ts`. */
    readonly words: Readonly<Record<string, string>>;
  }[];
}

/** Returns the manifest: `{format, single, versions: [[slug, name]], languages: [[code, tag, [[file, [slug]]], words]]}`. */
export function buildSearchManifest({ single, versions, languages }: SearchManifestInput): string {
  return JSON.stringify({
    format: 1,
    single,
    versions: versions.map(({ slug, name }) => [slug, name]),
    languages: languages.map(({ code, tag, volumes, words }) => [
      code,
      tag,
      volumes.map((one) => [one.file, one.versions]),
      words,
    ]),
  });
}
