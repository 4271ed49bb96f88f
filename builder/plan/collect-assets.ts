import { contentKey } from '../cache/content-key.ts';
import type { LinkSlot, Warning } from '../model.ts';
import type { LinkOutcome } from './links/create-link-resolver.ts';
import { BLOB_PREFIX } from './place-assets.ts';
import type { AssetReader } from './read-assets.ts';

/** Files of a release that are no pages. */
export interface CollectedAssets {
  readonly files: readonly (readonly [path: string, key: string])[];
  /** How files are made whose addresses have to be other ones than in the repository. */
  readonly producers: ReadonlyMap<string, () => Promise<Uint8Array>>;
  readonly warnings: readonly Warning[];
}

/**
 * Collects the files that a release's pages refer to, with everything that style sheets, drawings and pages of HTML
 * among them refer to in turn; each file is visited once, so that circles end. Most references work where the files
 * stand in the release. Then the file is published as it is in the repository; else with addresses that lead to where
 * its references stand, and it is shared by all releases in which these are the same.
 */
export async function collectAssets(
  taken: Iterable<string>,
  release: {
    readonly ref: string;
    readonly engineVersion: string;
    readonly assets: AssetReader;
    readonly blobOf: (file: string) => string | undefined;
    /** Returns where a file stands in the release. */
    readonly place: (file: string) => string;
    /** Finds out where an address leads that stands in a file, which is at `path` in the release. */
    readonly resolve: (reference: LinkSlot, file: string, path: string) => LinkOutcome;
  },
): Promise<CollectedAssets> {
  const { ref, assets, blobOf, place, engineVersion } = release;
  const files: (readonly [string, string])[] = [];
  const producers = new Map<string, () => Promise<Uint8Array>>();
  const warnings: Warning[] = [];
  const queue = new Set([...taken].sort());
  for (const file of queue) {
    const oid = blobOf(file);
    if (oid === undefined) continue;
    const { problem, travels, references } = await assets.inspect(file, oid);
    if (problem) warnings.push({ ref, file, line: 0, ...problem });
    if (!travels) continue;
    const path = place(file);
    const urls = references.map((reference) => {
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
      producers.set(key, () => assets.rewrite(file, oid, urls));
    }
  }
  return { files, producers, warnings };
}

/** Tells whether two addresses in a file of the release lead to the same place; a folder's is that of its `index.html`. */
function leadsToSame(path: string, one: string, other: string): boolean {
  const base = `http://release/${path.split('/').map(encodeURIComponent).join('/')}`;
  if (!URL.canParse(one, base) || !URL.canParse(other, base)) return one === other;
  const [first, second] = [one, other].map((url) => {
    const { pathname, search, hash } = new URL(url, base);
    return pathname.replace(/\/index\.html$/, '/') + search + hash;
  });
  return first === second;
}
