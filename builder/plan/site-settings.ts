import { resolve } from 'node:path';
import { BuildError } from '../build-error.ts';
import type { Repository } from '../model.ts';
import { isLanguageCode } from '../source/language-tag.ts';
import type { ProjectFile } from '../source/project-file.ts';
import type { BuildOptions } from './build-options.ts';

/** What holds for the whole site: from the command, else from the default branch's `.docbuild.yml`. */
export interface SiteSettings {
  readonly title: string;
  readonly lang: readonly string[] | undefined;
  readonly latest: string | undefined;
  readonly single: boolean;
  readonly refs: string | undefined;
  readonly exclude: string | undefined;
  /** With a final `/`. */
  readonly baseUrl: string | undefined;
  /** See `BuildOptions`. */
  readonly alsoBelow: string | undefined;
  readonly theme: NonNullable<ProjectFile['theme']>;
  readonly button: BuildOptions['button'];
}

/** Joins the command's options with the project file; the command wins, exclusions add up. */
export function joinSettings(options: BuildOptions, file: ProjectFile, fallbackTitle: string): SiteSettings {
  const badCode = options.lang?.find((code) => !isLanguageCode(code));
  if (badCode !== undefined) {
    throw new BuildError('bad-option', `"${badCode}" is not a language code such as "en" or "zh_CN"`);
  }
  const exclude = [options.exclude, file.excluded].filter((list) => list !== undefined && list !== '').join('|');
  return {
    title: options.title ?? file.title ?? fallbackTitle,
    lang: options.lang ?? file.lang,
    latest: options.latest ?? file.latest,
    single: options.single ?? file.single ?? false,
    refs: options.refs,
    exclude: exclude === '' ? undefined : exclude,
    baseUrl: options.baseUrl?.replace(/\/*$/, '/'),
    alsoBelow: options.alsoBelow,
    theme: file.theme ?? {},
    button: options.button,
  };
}

/** Returns a title from a repository's location: `https://host/o/my-docs.git` → `My docs`; `.` is the folder it leads to. */
export function findTitle({ kind, label }: Pick<Repository, 'kind' | 'label'>): string {
  const name = (kind === 'remote' ? label : resolve(label))
    .replace(/[/\\]+$/, '')
    .replace(/(?:\/|^)\.git$/, '')
    .split(/[/\\:]/)
    .pop()!
    .replace(/\.(?:git|bundle)$/, '');
  const words = name.replace(/[-_]+/g, ' ').trim();
  return words === '' ? 'Documentation' : words.charAt(0).toUpperCase() + words.slice(1);
}
