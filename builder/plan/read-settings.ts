import { resolve } from 'node:path';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { BuildError } from '../build-error.ts';
import type { Ref, Repository, Warning } from '../model.ts';
import { markOptions } from '../option-marks.ts';
import type { StageClock } from './progress.ts';
import { type BuildOptions, joinSettings, type SiteSettings } from './site-options.ts';
import { readProjectFile } from './versions/version-source.ts';

interface SettingsInput {
  readonly options: BuildOptions;
  readonly repository: Repository;
  readonly clock: StageClock;
}

/**
 * Reads what the default branch's `.docbuild.yml` says about the site. Where that cannot be read and the build is for other versions,
 * what is published counts, and `failure` is why: the default branch stays as it is.
 */
export async function readSettings(
  input: SettingsInput,
): Promise<{ readonly settings: SiteSettings; readonly failure?: readonly [name: string, error: BuildError] }> {
  const { repository, options } = input;
  const { refUpdate } = options;
  const head = repository.refs.find(({ name }) => name === repository.head);
  if (!head) return { settings: joinSettings(options, {}, titleOfRepository(repository)) };
  try {
    return { settings: await readSettingsOf(head, input) };
  } catch (error) {
    const published = refUpdate?.published.find(({ name, kind }) => name === head.name && kind === head.kind);
    const isForOthers = refUpdate?.update !== undefined && !refUpdate.update.includes(head.name);
    if (!published || !isForOthers || !(error instanceof BuildError)) throw error;
    return { settings: await readSettingsOf(published, input), failure: [head.name, error] };
  }
}

async function readSettingsOf(head: Ref, { repository, options, clock }: SettingsInput): Promise<SiteSettings> {
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
  // A plain folder has one version, whatever its file says of those of the repository that it came from.
  const said =
    repository.kind === 'folder' ? { ...project, latest: undefined, refs: undefined, excluded: undefined } : project;
  return joinSettings(options, said, titleOfRepository(repository));
}

/** Returns a title from a repository's location: `https://host/o/my-docs.git` → `My docs`; `.` is the folder it leads to. */
export function titleOfRepository({ kind, label }: Pick<Repository, 'kind' | 'label'>): string {
  const name = trimCharacters(kind === 'remote' ? label : resolve(label), '/\\')
    .replace(/(?:\/|^)\.git$/, '')
    .split(/[/\\:]/)
    .pop()!
    .replace(/\.(?:git|bundle)$/, '');
  const words = name.replace(/[-_]+/g, ' ').trim();
  return words === '' ? 'Documentation' : words.charAt(0).toUpperCase() + words.slice(1);
}

/** A server goes on where the version that `latest` is to stand for is gone, or not there yet: another one takes its place. */
export function placeLatest(
  { latest }: SiteSettings,
  { refs }: Repository,
  { refUpdate }: BuildOptions,
): { readonly latest: string | undefined; readonly warnings: readonly Warning[] } {
  const isThere = latest === undefined || refs.some(({ name }) => name === latest);
  if (isThere || !refUpdate?.update || refUpdate.update.includes(latest)) return { latest, warnings: [] };
  const message = `Ref "${latest}", requested as latest, does not exist, and another one takes its place; change ${markOptions('latest')}`;
  return { latest: undefined, warnings: [{ ref: latest, file: '', line: 0, code: 'skipped-ref', message }] };
}
