import { BuildError } from '../build-error.ts';
import { type BuildLimits, LIMIT_SETTINGS, type LimitSetting } from '../build-limits.ts';
import { type OptionWords, wordOptions } from '../option-marks.ts';
import type { Problems } from './build-summary.ts';
import { SITE_OPTIONS, type SiteOption } from './site-options.ts';

export const FLAG_WORDS: OptionWords = {
  ...wordLimits(({ option }) => option),
  ...wordOptionsBy(({ flag = '' }) => /--[\w-]+/.exec(flag)?.[0]),
  lang: '--lang or "lang" in .docbuild.yml',
};

/** The options as keys of the project file. */
export const KEY_WORDS: OptionWords = wordOptionsBy(({ key }) => key && `"${key}" in .docbuild.yml`);

function wordOptionsBy(word: (option: SiteOption) => string | undefined): OptionWords {
  const words = Object.entries<SiteOption>(SITE_OPTIONS).map(([name, option]) => [name, word(option)] as const);
  return Object.fromEntries(words.filter(([, text]) => text !== undefined));
}

export function wordLimits(word: (setting: LimitSetting) => string): Readonly<Record<keyof BuildLimits, string>> {
  const words = Object.entries(LIMIT_SETTINGS).map(([name, setting]) => [name, word(setting)]);
  return Object.fromEntries(words) as Record<keyof BuildLimits, string>;
}

/** Runs a build whose problems, and the error that ends it, get the words for the options that they mark. */
export async function wordBuild<Result extends Problems>(
  words: OptionWords,
  run: () => Promise<Result>,
): Promise<Result> {
  const summary = await wordError(words, run);
  return {
    ...summary,
    errors: summary.errors.map((problem) => wordProblem(problem, words)),
    warnings: summary.warnings.map((problem) => wordProblem(problem, words)),
  };
}

/** Returns a problem with the words for the options that it marks. */
export function wordProblem<Problem extends { readonly message: string }>(
  problem: Problem,
  words: OptionWords,
): Problem {
  const message = wordOptions(problem.message, words);
  // Sites have thousands of warnings, and hardly one advises anything.
  return message === problem.message ? problem : { ...problem, message };
}

/** Runs work; a `BuildError` that ends it gets the words for the options that it marks. */
export async function wordError<T>(words: OptionWords, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    const { code, message, cause, location } = error;
    throw new BuildError(code, wordOptions(message, words), { cause, location });
  }
}
