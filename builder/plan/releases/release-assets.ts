import { encodePath, isAbsoluteUrl } from '../../../lib/url-text.ts';
import { contentKey } from '../../cache/content-key.ts';
import { pageAddress } from '../../compose/navigation.ts';
import { describeForeign, findForeignHost, NO_RESOURCE } from '../../markdown/html/foreign-hosts.ts';
import type { LinkSlot, Warning } from '../../model.ts';
import { listAllowedHosts } from '../../source/allowed-host.ts';
import type { AssetReader } from '../asset-reader.ts';
import type { LinkOutcome } from '../links/create-link-resolver.ts';
import type { SiteSettings } from '../site-options.ts';
import type { VersionSource } from '../versions/version-source.ts';

/** Decides the paths of images, downloads and the like in a release. */
export interface AssetPlacer {
  /** Percent-encoded URL of a file (from the repository's root) in a language's release. */
  address(file: string, languageKey: string): string;
  place(file: string, languageKey: string): string;
}

/** Content keys of files that are copied as they are. */
const BLOB_PREFIX = 'blob:';

/** A name in a path that begins with a dot. */
const HIDDEN = /(^|\/)\./;

/** Paths where docbuild puts files of its own. */
const OUR_PATHS = /^(?:_files|_docbuild|_docbuild-scripts|\.docbuild\.json)(?:\/|$)/i;

/** Returns the blob of a content key, or undefined if its content is composed. */
export function blobOfKey(key: string): string | undefined {
  return key.startsWith(BLOB_PREFIX) ? key.slice(BLOB_PREFIX.length) : undefined;
}

/**
 * Creates the placer of one version. A file of the language's own folder keeps its path in it, a file that all languages
 * share its path below the source folder; any other file, and one whose path is taken, goes to `_files/`. Names that
 * begin with a dot are prefixed, since web servers do not serve them.
 */
export function createAssetPlacer(options: {
  readonly sourceFolder: string;
  readonly languageFolder: (key: string) => string;
  /** Folders of all languages that have one. */
  readonly languageFolders: readonly string[];
  readonly blobOf: (file: string) => string | undefined;
  readonly hasFolder: (folder: string) => boolean;
  /** Whether no page of a language's release is at a path or at one of its folders. */
  readonly isFree: (path: string, languageKey: string) => boolean;
}): AssetPlacer {
  const { sourceFolder, languageFolder, languageFolders, blobOf, hasFolder } = options;
  const standsIn = (folder: string, path: string): boolean => {
    if (hasFolder(folder + path)) return true;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (blobOf(folder + path.slice(0, end)) !== undefined) return true;
    }
    return false;
  };
  const findPath = (file: string, own: string): string | undefined => {
    if (own !== sourceFolder && file.startsWith(own)) return file.slice(own.length);
    const isShared = file.startsWith(sourceFolder) && !languageFolders.some((folder) => file.startsWith(folder));
    const path = file.slice(sourceFolder.length);
    return isShared && (own === sourceFolder || !standsIn(own, path)) ? path : undefined;
  };
  const place = (file: string, languageKey: string): string => {
    const path = findPath(file, languageFolder(languageKey));
    const keepsPlace = path !== undefined && !OUR_PATHS.test(path) && !HIDDEN.test(path);
    if (keepsPlace && options.isFree(path, languageKey)) return path;
    return `_files/${file
      .split('/')
      .map((name) => name.replace(/^\./, '_.'))
      .join('/')}`;
  };
  return { place, address: (file, languageKey) => pageAddress(place(file, languageKey)) };
}

export interface CollectedAssets {
  readonly files: readonly (readonly [path: string, key: string])[];
  /** How to produce files whose URLs differ from those in the repository. */
  readonly producers: ReadonlyMap<string, () => Promise<Uint8Array>>;
  readonly warnings: readonly Warning[];
}

interface AssetOwner {
  readonly source: Pick<VersionSource, 'version'>;
  readonly site: {
    readonly settings: Pick<SiteSettings, 'allowedHosts' | 'baseUrl' | 'alsoBelow'>;
    readonly tools: { readonly assets: AssetReader; readonly engineVersion: string };
  };
  blobOf(file: string): string | undefined;
}

/**
 * Collects the files that a release's pages refer to, with everything that style sheets, drawings and HTML pages among
 * them refer to; each file is visited once. If all references of a file resolve in the release, it is published
 * unchanged; otherwise with adapted URLs, and releases in which these are equal share it.
 */
export async function collectAssets(
  taken: Iterable<string>,
  release: {
    readonly version: AssetOwner;
    readonly place: (file: string) => string;
    /** Resolves a URL in a file that is at `path` in the release. */
    readonly resolve: (reference: LinkSlot, file: string, path: string) => LinkOutcome;
  },
): Promise<CollectedAssets> {
  const { place } = release;
  const { source, blobOf, site } = release.version;
  const { assets, engineVersion } = site.tools;
  const ref = source.version.ref.name;
  const files: (readonly [string, string])[] = [];
  const producers = new Map<string, () => Promise<Uint8Array>>();
  const warnings: Warning[] = [];
  const queue = new Set([...taken].sort());
  const allowedHosts = listAllowedHosts(site.settings);
  for (const file of queue) {
    const oid = blobOf(file);
    if (oid === undefined) continue;
    const { problem, travels, references } = await assets.inspect(file, oid);
    if (problem) warnings.push({ ref, file, line: 0, ...problem });
    if (!travels) continue;
    const path = place(file);
    const urls = references.map((reference) => {
      if (isAbsoluteUrl(reference.url)) return refuseForeign(file, reference);
      const outcome = release.resolve(reference, file, path);
      if (outcome.problem) warnings.push({ ref, file, line: reference.line, ...outcome.problem });
      if (outcome.file !== undefined) queue.add(outcome.file);
      return leadsToSame(path, outcome.url, reference.url) ? reference.url : outcome.url;
    });
    if (urls.every((url, at) => url === references[at]!.url)) {
      files.push([path, BLOB_PREFIX + oid]);
    } else {
      const key = contentKey('asset', engineVersion, oid, urls.join('\n'));
      files.push([path, key]);
      producers.set(key, rewriteLater(assets, { file, oid, urls }));
    }
  }
  return { files, producers, warnings };

  /** Style sheets and fonts of other hosts are left out unless they are allowed. */
  function refuseForeign(file: string, { url, line }: LinkSlot): string {
    const host = findForeignHost(url, allowedHosts);
    if (host === undefined) return url;
    const message = describeForeign('Style sheet or font', host);
    warnings.push({ ref, file, line, code: 'foreign-host', message });
    return NO_RESOURCE;
  }
}

/** Returns a function that rewrites a file; not nested in its caller, so that it retains nothing else of the release. */
function rewriteLater(
  assets: AssetReader,
  { file, oid, urls }: { readonly file: string; readonly oid: string; readonly urls: readonly string[] },
): () => Promise<Uint8Array> {
  return () => assets.rewrite(file, oid, urls);
}

/** Returns whether two URLs in a file of the release have the same target; a folder means its `index.html`. */
function leadsToSame(path: string, one: string, other: string): boolean {
  const base = `http://release/${encodePath(path)}`;
  if (!URL.canParse(one, base) || !URL.canParse(other, base)) return one === other;
  const [first, second] = [one, other].map((url) => {
    const { pathname, search, hash } = new URL(url, base);
    return pathname.replace(/\/index\.html$/, '/') + search + hash;
  });
  return first === second;
}
