import { BuildError } from '../build-error.ts';
import type { Ref, Repository, Warning } from '../model.ts';
import { chooseLatest } from '../refs/choose-latest.ts';
import { sortVersions } from '../refs/sort-versions.ts';
import type { BuildNotes } from './build-notes.ts';
import type { BuildOptions } from './build-options.ts';
import { readProjectFile, type Version } from './read-version.ts';
import { findTitle, joinSettings, type SiteSettings } from './site-settings.ts';
import type { StageClock } from './stage-clock.ts';

/** Reads what the default branch's `.docbuild.yml` says about the site. */
export async function readSettings(
  repository: Repository,
  options: BuildOptions,
  clock: StageClock,
): Promise<SiteSettings> {
  const title = findTitle(repository);
  const head = repository.refs.find(({ name }) => name === repository.head);
  if (!head) return joinSettings(options, {}, title);
  await fetchRefs(repository, [head], clock);
  clock.enter('read');
  const { tree } = await repository.readCommit(head.oid);
  try {
    const { project } = await readProjectFile(repository, tree);
    return joinSettings(options, project, title);
  } catch (error) {
    throw error instanceof BuildError ? error.at({ ref: head.name }) : error;
  }
}

/** Brings the objects of refs here. */
export async function fetchRefs(repository: Repository, refs: readonly Ref[], clock: StageClock): Promise<void> {
  clock.enter('fetch', refs.length);
  await repository.fetch(refs, { onFetched: () => clock.advance(), onReceived: clock.receive });
}

/**
 * Reads the commits of refs; what is known from the last build is not read again. A tag that leads to no commit is
 * skipped with a warning.
 */
export async function readVersions(
  repository: Repository,
  refs: readonly Ref[],
  known: BuildNotes | undefined,
): Promise<{ readonly versions: readonly Version[]; readonly skipped: readonly Warning[] }> {
  const versions: Version[] = [];
  const skipped: Warning[] = [];
  for (const ref of refs) {
    const notes = known && Object.hasOwn(known.versions, ref.name) ? known.versions[ref.name] : undefined;
    if (notes?.oid === ref.oid) {
      versions.push({ ref, rootTree: notes.tree, time: notes.time });
      continue;
    }
    try {
      const { tree, time } = await repository.readCommit(ref.oid);
      versions.push({ ref, rootTree: tree, time });
    } catch (error) {
      if (!(error instanceof BuildError && error.code === 'no-such-ref')) throw error;
      skipped.push({ ref: ref.name, file: '', line: 0, code: 'skipped-ref', message: `Skipped: ${error.message}` });
    }
  }
  if (versions.length === 0) throw new BuildError('no-refs', 'None of the chosen refs leads to a commit');
  return { versions, skipped };
}

/** Gives the versions in readers' order, the latest first; only that one when the site has a single version. */
export function orderVersions(
  versions: readonly Version[],
  settings: SiteSettings,
  head: string | undefined,
): readonly Version[] {
  const dated = versions.map((version) => ({ ...version.ref, time: version.time, version }));
  const latest = chooseLatest(dated, { asked: settings.latest, head });
  return settings.single ? [latest.version] : sortVersions(dated, latest.name).map(({ version }) => version);
}
