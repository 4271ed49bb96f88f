import { BuildError } from '../build-error.ts';
import type { Repository } from '../model.ts';
import { chooseLatest, sortVersions } from '../refs/sort-versions.ts';
import type { StageClock } from './progress.ts';
import { type BuildOptions, findTitle, joinSettings, type SiteSettings } from './site-options.ts';
import { readProjectFile, type Version } from './versions/version-source.ts';

/** Reads what the default branch's `.docbuild.yml` says about the site. */
export async function readSettings(
  repository: Repository,
  options: BuildOptions,
  clock: StageClock,
): Promise<SiteSettings> {
  const title = findTitle(repository);
  const head = repository.refs.find(({ name }) => name === repository.head);
  if (!head) return joinSettings(options, {}, title);
  clock.enter('fetch', 1);
  await repository.fetch([head], clock.fetchListener);
  clock.enter('read');
  const { tree } = await repository.readCommit(head.oid);
  const { project, errors } = await readProjectFile(repository, tree);
  const [first, ...others] = errors;
  // Wrong settings would change the whole site, and what is excluded could be published.
  if (first) {
    const { file, line, code } = first;
    const message = [first.message, ...others.map((error) => `line ${error.line}: ${error.message}`)].join('; ');
    throw new BuildError(code, message, { location: { ref: head.name, file, ...(line > 0 && { line }) } });
  }
  return joinSettings(options, project, title);
}

/** Returns the versions in readers' order, the latest first; only that one when the site has a single version. */
export function orderVersions<T extends Version>(
  versions: readonly T[],
  settings: SiteSettings,
  head: string | undefined,
): readonly T[] {
  const dated = versions.map((version) => ({ ...version.ref, time: version.time, version }));
  const latest = chooseLatest(dated, { asked: settings.latest, head });
  return settings.single ? [latest.version] : sortVersions(dated, latest.name).map(({ version }) => version);
}
