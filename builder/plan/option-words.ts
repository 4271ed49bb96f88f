import { BuildError } from '../build-error.ts';
import { type BuildLimits, LIMIT_SETTINGS, type LimitSetting } from '../build-limits.ts';
import { type OptionWords, wordOptions } from '../option-marks.ts';
import type { BuildSummary } from './build-summary.ts';
import { SITE_OPTIONS } from './site-options.ts';

const ADVISED = ['sourceDir', 'refs', 'exclude', 'latest'] as const;

/** The options as flags of `docbuild site`. */
export const FLAG_WORDS: OptionWords = {
  ...wordLimits(({ option }) => option),
  ...Object.fromEntries(ADVISED.map((name) => [name, /--[\w-]+/.exec(SITE_OPTIONS[name].flag)![0]])),
  lang: '--lang or "lang" in .docbuild.yml',
};

/** Returns the words for all limits. */
export function wordLimits(word: (setting: LimitSetting) => string): Readonly<Record<keyof BuildLimits, string>> {
  const words = Object.entries(LIMIT_SETTINGS).map(([name, setting]) => [name, word(setting)]);
  return Object.fromEntries(words) as Record<keyof BuildLimits, string>;
}

/** Runs a build whose problems, and the error that ends it, get the words for the options that they mark. */
export async function wordBuild(words: OptionWords, run: () => Promise<BuildSummary>): Promise<BuildSummary> {
  const summary = await wordError(words, run);
  const word = <Problem extends { readonly message: string }>(problem: Problem): Problem => {
    const message = wordOptions(problem.message, words);
    // Sites have thousands of warnings, and hardly one advises anything.
    return message === problem.message ? problem : { ...problem, message };
  };
  return { ...summary, errors: summary.errors.map(word), warnings: summary.warnings.map(word) };
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
