import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { hasCode } from '../../lib/system-error.ts';

const schema = z.object({
  format: z.literal(1),
  latest: z.string(),
  single: z.boolean(),
  languages: z.array(z.string()),
  refs: z.record(z.string(), z.object({ kind: z.enum(['branch', 'tag', 'worktree']), slug: z.string() })),
  versions: z.record(z.string(), z.array(z.string())),
  // Sites that were built before have none.
  tags: z.record(z.string(), z.string()).optional(),
  paths: z.array(z.string()),
  lists: z.array(z.array(z.int())),
  pages: z.record(z.string(), z.record(z.string(), z.int())),
});

/** What a published site holds. Maps, because the names come from repositories. */
export interface SiteIndex {
  /** Name of the ref that `latest` stands for. */
  readonly latest: string;
  readonly single: boolean;
  readonly languages: readonly string[];
  readonly refs: ReadonlyMap<string, { readonly kind: 'branch' | 'tag' | 'worktree'; readonly slug: string }>;
  /** BCP 47 tags by language. */
  readonly tags: ReadonlyMap<string, string>;
  /** Names by language: `latest` first, then branches, then tags, the newest first. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  /** Returns the HTML files of a release by their paths in it; undefined when it does not exist. `latest` is a version. */
  readonly pagesOf: (language: string, version: string) => ReadonlySet<string> | undefined;
}

/** Reads what published sites hold. */
export interface SiteIndexes {
  /** Returns the index of a project's site; undefined while nothing is published. */
  read(project: string): Promise<SiteIndex | undefined>;
  /** Returns what was read last, without looking at the disk; undefined when nothing was. */
  peek(project: string): SiteIndex | undefined;
  /** Forgets what was read of a project that is gone. */
  forget(project: string): void;
}

/** Reads indexes below a folder of sites; each is kept until its file changes. */
export function createSiteIndexes(folderOf: (project: string) => string, maxKept = 500): SiteIndexes {
  const kept = createBoundedMap<string, { readonly version: string; readonly index: SiteIndex }>({
    maxEntries: maxKept,
  });
  return {
    peek: (project) => kept.get(project)?.index,
    forget: (project) => void kept.delete(project),
    async read(project) {
      const file = join(folderOf(project), 'versions.json');
      try {
        const { ino, mtimeMs, size } = await stat(file);
        const version = `${ino} ${mtimeMs} ${size}`;
        const known = kept.get(project);
        if (known?.version === version) return known.index;
        const index = createIndex(schema.parse(JSON.parse(await readFile(file, 'utf8'))));
        kept.set(project, { version, index });
        return index;
      } catch (error) {
        kept.delete(project);
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
        throw error;
      }
    },
  };
}

function createIndex(stored: z.infer<typeof schema>): SiteIndex {
  const sets = stored.lists.map((list) => new Set(list.map((place) => stored.paths[place] ?? '')));
  const pages = new Map(
    Object.entries(stored.pages).map(([language, lists]) => [language, new Map(Object.entries(lists))]),
  );
  return {
    latest: stored.latest,
    single: stored.single,
    languages: stored.languages,
    refs: new Map(Object.entries(stored.refs)),
    versions: new Map(Object.entries(stored.versions)),
    tags: new Map(stored.languages.map((code) => [code, stored.tags?.[code] ?? code.replaceAll('_', '-')])),
    pagesOf: (language, version) =>
      sets[pages.get(language)?.get(version === 'latest' && !stored.single ? stored.latest : version) ?? -1],
  };
}
