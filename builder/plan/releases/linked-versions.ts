import type { LinkSlot } from '../../model.ts';
import { isPageFile, pageOutputPath } from '../../page-path.ts';
import { LATEST_SLUG } from '../../refs/version-slug.ts';
import { findStatedLanguage, type Language } from '../../source/languages.ts';
import { defaultOutput } from '../../source/pages/page-address.ts';
import { PAGE_NAME, splitUrl } from '../links/link-candidates.ts';
import { listOutputs, listUnnumberedOutputs, removeNumbers } from '../navigation/address-book.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import { hasSource, type MissingSource, type Version, type VersionSource } from '../versions/version-source.ts';

/** The published versions by the names that URLs may have for them. */
export interface VersionNames {
  /** Returns the version that a part of a URL names: `5.4`, `v5.4`, `main`, `latest`. */
  find(name: string): { readonly version: Version; readonly slug: string } | undefined;
}

/** Creates the names of a site's versions, the latest of which is the first. */
export function createVersionNames(versions: readonly Version[], slugs: ReadonlyMap<string, string>): VersionNames {
  const names = new Map<string, { readonly version: Version; readonly slug: string }>();
  const add = (name: string, version: Version, slug: string): void => {
    if (!names.has(name)) names.set(name, { version, slug });
  };
  const all = versions.map((version) => [version, slugs.get(version.ref.name)!] as const);
  for (const [version, slug] of all) for (const name of [version.ref.name, slug]) add(name, version, slug);
  if (versions[0]) add(LATEST_SLUG, versions[0], LATEST_SLUG);
  for (const [version, slug] of all) {
    if (/^v\d/i.test(slug)) add(slug.slice(1), version, slug);
    else if (/^\d/.test(slug)) add(`v${slug}`, version, slug);
  }
  return { find: (name) => names.get(name) };
}

/** The names in links that may mean versions, with the slugs that they mean; '' for those not published. */
export type NamedVersions = readonly (readonly [name: string, slug: string])[];

export interface PageOfVersion {
  readonly slug: string;
  readonly language: Language;
  readonly output: string;
}

/** The target of a link with the name of a version in its path: a path from the root of this version, or a page of another. */
export type VersionTarget = { readonly path: string } | PageOfVersion;

export interface LinkVersions {
  readonly named: NamedVersions;
  /** Returns where a path leads whose parts name a version, as text in a language means it. */
  find(path: string, language: Language): VersionTarget | undefined;
}

export interface VersionDirectory {
  /** Looks up the versions that the links of a version's pages name. */
  open(own: Version, rendered: ReadonlyMap<string, Pick<RenderedPage, 'slots'>>): Promise<LinkVersions>;
}

/** A name that a version may have which is not published now. */
const VERSION_LIKE = /^v?\d{1,9}(?:\.\d{1,9}){0,4}\.(?:\d{1,9}|x)$/i;
/** More names than pages have for versions; keeps the notes of a build small. */
const MAX_NAMES = 500;

/** Paths of HTML files by language key. */
type Outputs = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Creates the directory of a build. `readSource` is asked for versions that are built now, `listPublished` for the files of
 * those that stay as they are; both may know nothing.
 */
export function createVersionDirectory(options: {
  readonly names: VersionNames;
  /** The default one first. */
  readonly languages: readonly Language[];
  readonly readSource: (version: Version) => Promise<VersionSource | MissingSource | undefined>;
  readonly listPublished: (version: Version, languageCode: string) => Iterable<string> | undefined;
}): VersionDirectory {
  const { names, languages, readSource, listPublished } = options;
  const known = new Map<string, Promise<Outputs>>();
  const unnumbered = new Map<ReadonlySet<string>, ReadonlyMap<string, string | null>>();
  return {
    async open(own, rendered) {
      const named = new Map<string, string>();
      const others = new Map<string, Outputs>();
      for (const name of collectParts(rendered.values())) {
        const found = names.find(name);
        if ((!found && !VERSION_LIKE.test(name)) || named.size >= MAX_NAMES) continue;
        named.set(name, found?.slug ?? '');
        if (found && found.version.ref.name !== own.ref.name) others.set(name, await recall(found.version));
      }
      return {
        named: [...named].sort(([a], [b]) => (a < b ? -1 : 1)),
        find(path, language) {
          for (const { name, rest } of named.size > 0 ? listParts(path) : []) {
            const slug = named.get(name);
            if (!slug) continue;
            const outputs = others.get(name);
            if (!outputs) return { path: `/${rest}` };
            // `/5.4/zh/a` names the language, too.
            const stated = languages.find(({ code }) => rest.startsWith(`${code}/`));
            const target =
              findOutput(outputs, language, rest) ??
              (stated && findOutput(outputs, stated, rest.slice(stated.code.length + 1)));
            if (target) return { slug, ...target };
          }
          return undefined;
        },
      };
    },
  };

  function findOutput(
    outputs: Outputs,
    language: Language,
    path: string,
  ): Pick<PageOfVersion, 'language' | 'output'> | undefined {
    const own = outputs.has(language.key) ? language : languages[0]!;
    const files = outputs.get(own.key);
    if (!files) return undefined;
    const output =
      listOutputs(path.replace(PAGE_NAME, '')).find((candidate) => files.has(candidate)) ?? findUnnumbered(files, path);
    return output === undefined ? undefined : { language: own, output };
  }

  function findUnnumbered(files: ReadonlySet<string>, path: string): string | undefined {
    const byPath = unnumbered.get(files) ?? listUnnumberedOutputs(files);
    unnumbered.set(files, byPath);
    return byPath.get(removeNumbers(path)) ?? undefined;
  }

  function recall(version: Version): Promise<Outputs> {
    const { name } = version.ref;
    const outputs = known.get(name) ?? listVersion(version);
    known.set(name, outputs);
    return outputs;
  }

  async function listVersion(version: Version): Promise<Outputs> {
    const published = languages.flatMap(({ key, code }) => {
      const files = listPublished(version, code);
      return files === undefined ? [] : [[key, new Set(files)] as const];
    });
    if (published.length > 0) return new Map(published);
    const source = await readSource(version);
    return source && hasSource(source) ? listSourceOutputs(source) : new Map();
  }

  /** By the places of files: what front matter says of URLs is not known yet. */
  function listSourceOutputs({ listing, layout, generator }: VersionSource): Outputs {
    const outputs = new Map<string, Set<string>>(languages.map(({ key }) => [key, new Set()]));
    const main = outputs.get(languages[0]!.key)!;
    for (const { path, isLeftOut } of listing.files) {
      if (isLeftOut || !isPageFile(path)) continue;
      const stated = findStatedLanguage(path, layout);
      const output = defaultOutput(pageOutputPath(stated?.path ?? path), generator);
      (outputs.get(stated?.key ?? '') ?? main).add(output);
    }
    // A language without pages has no release; a page without a translation is shown in the default language.
    const released = [...outputs].filter(([, own]) => own.size > 0);
    return new Map(released.map(([key, own]) => [key, new Set([...own, ...main, 'index.html'])]));
  }
}

/** The names in the links of pages, by their links: versions share most pages. */
const partsOf = new WeakMap<readonly LinkSlot[], readonly string[]>();

function collectParts(pages: Iterable<Pick<RenderedPage, 'slots'>>): ReadonlySet<string> {
  const parts = new Set<string>();
  for (const { slots } of pages) {
    let own = partsOf.get(slots);
    if (!own) {
      own = [...new Set(slots.flatMap(({ url }) => listParts(splitUrl(url).path).map(({ name }) => name)))];
      partsOf.set(slots, own);
    }
    for (const part of own) parts.add(part);
  }
  return parts;
}

/** More parts than the URL of a page has. */
const MAX_PARTS = 12;

/** Returns the parts of a path that may name a version, each with what follows: of a relative path, the one behind all `..`. */
function listParts(path: string): readonly { readonly name: string; readonly rest: string }[] {
  if (!path.startsWith('/') && !path.startsWith('../')) return [];
  const bare = path.replace(/^(?:\.{0,2}\/)+/, '');
  const parts = bare.split('/', MAX_PARTS);
  const count = path.startsWith('/') ? parts.length : 1;
  let rest = bare;
  return parts.slice(0, count).map((name) => {
    rest = rest.slice(name.length + 1);
    return { name, rest };
  });
}
