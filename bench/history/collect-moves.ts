import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readEngineVersion } from '../../builder/build-site.ts';
import { openCache } from '../../builder/cache/cache.ts';
import type { ReleasePages } from '../../builder/history/release-changes.ts';
import { buildSite, DEFAULT_LIMITS, packageFile } from '../../builder/index.ts';
import { createSearchEntries } from '../../builder/plan/pages/search-entries.ts';
import { readNotes } from '../../builder/plan/versions/stored-notes.ts';
import { readManifest, stateFolder } from '../../builder/publish/site-manifest.ts';
import type { SearchPage } from '../../builder/search/search-volume.ts';
import { type MovesFixture, type OutlinedReleases, thinReleases, writeReleases } from './moves-fixture.ts';

/**
 * Outlines the two versions of a fixture of `test/builder/history/moves/` anew, which is necessary when outlines have another form:
 *
 *     node dist/bench/history/collect-moves.js NAME REPOSITORY
 *
 * The repository is a clone with both refs of what the fixture names.
 */
const [name = '', repository = ''] = process.argv.slice(2);
const folder = fileURLToPath(packageFile('test/builder/history/moves'));
const fixture = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as MovesFixture;
const scratch = mkdtempSync(join(tmpdir(), 'docbuild-moves-'));
try {
  const asked = new Set(fixture.cases.map(({ from }) => `${from.split('#')[0]}.html`));
  const releases = thinReleases(await outlineReleases(fixture), asked);
  const file = join(folder, `${name}.outlines.br`);
  writeReleases(file, releases);
  const [older, newer] = [releases.older.pages.length, releases.newer.pages.length];
  console.log(
    `${name}: ${older} pages in ${fixture.older}, ${newer} in ${fixture.newer}, ${statSync(file).size} bytes`,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function outlineReleases({ older, newer, sourceDir }: MovesFixture): Promise<OutlinedReleases> {
  const [out, cacheFolder] = [join(scratch, 'site'), join(scratch, 'cache')];
  const refs = `${older}|${newer}`;
  await buildSite({
    repository,
    out,
    cacheFolder,
    refs,
    latest: newer,
    lastUpdated: false,
    ...(sourceDir && { sourceDir }),
  });
  const notes = readNotes(readManifest(stateFolder(out), out)?.notes)!;
  const engineVersion = readEngineVersion();
  const cache = openCache({
    folder: join(cacheFolder, 'fragments'),
    maxBytes: DEFAULT_LIMITS.maxCacheBytes,
    engineVersion,
  });
  const entries = createSearchEntries(cache);
  const [language] = Object.keys(notes.search);
  const found = new Map<string, SearchPage>();
  const listPages = (ref: string): ReleasePages => {
    const { pages } = notes.versions[ref]!.search[language!]!;
    return {
      id: ref,
      pages: pages.map((page) => {
        const key = `${page.key} ${page.lead}`;
        found.set(key, page);
        return { path: page.path, title: page.title, key };
      }),
    };
  };
  return {
    older: listPages(older),
    newer: listPages(newer),
    outlineOf({ key }) {
      const { key: pageKey, lead } = found.get(key)!;
      return entries.has(pageKey) ? entries.outline(pageKey, lead) : undefined;
    },
  };
}
