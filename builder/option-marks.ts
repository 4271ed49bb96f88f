import { type BuildLimits, LIMIT_SETTINGS, type LimitSetting, SCALES } from './build-limits.ts';

export type AdvisedOption = keyof BuildLimits | 'sourceDir' | 'lang' | 'refs' | 'exclude' | 'latest' | 'cacheFolder';

/** How to change each option where messages are read; what cannot be changed there is absent. */
export type OptionWords = Readonly<Partial<Record<AdvisedOption, string>>>;

/**
 * Returns a mark for a message: "change this, or this". Messages are stored, and shown on a command line, where options are flags,
 * and by servers, where they are keys and commands: `wordOptions` puts in what holds there.
 */
export function markOptions(...names: readonly [AdvisedOption, ...AdvisedOption[]]): string {
  return `{option ${names.join('|')}}`;
}

export function wordOptions(message: string, words: OptionWords): string {
  if (!message.includes('{option ')) return message;
  return message.replace(/\{option ([\w|]+)\}/g, (mark, names: string) => {
    const known = names.split('|').flatMap((name) => (Object.hasOwn(words, name) ? words[name as AdvisedOption]! : []));
    return known.length === 0 ? mark : known.join(' or ');
  });
}

/** Returns a limit for a message, which marks how to change it: "5 MB, the limit for a page; raise it with …". */
export function describeLimit(name: keyof BuildLimits, value: number): string {
  const { unit, subject }: LimitSetting = LIMIT_SETTINGS[name];
  const amount = `${(value / SCALES[unit]).toLocaleString('en-US', { useGrouping: unit === 'files' })} ${unit}`;
  return `${amount}, the limit for ${subject}; raise it with ${markOptions(name)}`;
}

/** Returns a message without the advice to raise a limit, for those who cannot. */
export function withoutLimitAdvice(message: string): string {
  return message.replace(/, the limit for [^;{}]+; raise it with \{option \w+\}/g, '');
}
