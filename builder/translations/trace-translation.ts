import type { SectionMatch } from './match-sections.ts';

/** A section as it was in one version; its hash tells whether it says something else. */
export interface TracedSection {
  readonly id: string;
  readonly heading: string;
  readonly hash: string;
  readonly words: number;
}

export interface TracedPage {
  readonly hash: string;
  readonly sections: readonly TracedSection[];
}

/** A page in one version of a line, and its translation; undefined where there is none. */
export interface Moment<Page extends TracedPage> {
  readonly original: Page | undefined;
  readonly translation: Page | undefined;
}

/** The gaps of a translation; numbers are places in the line of versions. */
export interface LateSection {
  /** The original's section has changed, or is gone, since the translation did, or the translation has no such section. */
  readonly state: 'changed' | 'missing' | 'removed';
  /** Of the original's heading; '' = the page's beginning. */
  readonly id: string;
  readonly heading: string;
  readonly since: number;
  /** The last version before that in which there was a translation; undefined = it has always lacked the section. */
  readonly inStep: number | undefined;
}

export interface Behind {
  readonly state: 'behind';
  /** The first version with something that the translation lacks. */
  readonly since: number;
  /** The first of those of its sections; undefined = the translation has always lacked all of it. */
  readonly inStep: number | undefined;
  /** Words of the original that are not as the translation has them, of all: above 0, at most 1. */
  readonly amount: number;
  readonly sections: readonly LateSection[];
}

export type TranslationState =
  | { readonly state: 'current' }
  | { readonly state: 'missing'; readonly since: number }
  | Behind;

export interface TraceTools<Page extends TracedPage> {
  match(original: Page, translation: Page): SectionMatch;
  /** Returns how many words of a section are not as they were. */
  countChanged(before: readonly [Page, place: number], after: readonly [Page, place: number]): number;
}

/** The text of a section from a version on; '' = there was none. */
interface Change {
  readonly at: number;
  readonly hash: string;
}

/**
 * Traces a page and its translation through a line of versions, the oldest first: returns how the translation stands in each of
 * them; undefined where there is no original. A translation, and each section of it, counts as in step with what the original was
 * when it last changed itself: with all of the version in which that happened.
 */
export function traceTranslation<Page extends TracedPage>(
  moments: readonly Moment<Page>[],
  tools: TraceTools<Page>,
): readonly (TranslationState | undefined)[] {
  const changes = new Map<string, Change[]>();
  /** Since when sections of the translation, by id, and the whole of it are as they are. */
  let steps = new Map<string, Change>();
  let pageStep: Change = { at: 0, hash: '' };
  let missingSince: number | undefined;
  const states: (TranslationState | undefined)[] = [];
  for (const [at, { original, translation }] of moments.entries()) {
    const before = moments[at - 1];
    noteOriginal(at, original);
    if (translation) noteTranslation(at, translation);
    missingSince = original && !translation ? (missingSince ?? at) : undefined;
    const isAsBefore = before && isSame(original, before.original) && isSame(translation, before.translation);
    states.push(isAsBefore ? states[at - 1] : judge(at));
  }
  return states;

  function noteOriginal(at: number, original: Page | undefined): void {
    const own = new Map(original?.sections.map(({ id, hash }) => [id, hash]));
    for (const [id, known] of changes) if (!own.has(id) && known.at(-1)!.hash !== '') known.push({ at, hash: '' });
    for (const [id, hash] of own) {
      const known = changes.get(id);
      if (!known) changes.set(id, [{ at, hash }]);
      else if (known.at(-1)!.hash !== hash) known.push({ at, hash });
    }
  }

  /** What comes back as it was before, as where it follows its original to another place, is in step with what that was then. */
  function noteTranslation(at: number, { hash: whole, sections }: Page): void {
    const byHash = new Map([...steps.values()].map((known) => [known.hash, known]));
    const kept = (known: Change | undefined, hash: string): Change => (known?.hash === hash ? known : { at, hash });
    // A section may have got another id only.
    steps = new Map(sections.map(({ id, hash }) => [id, byHash.get(hash) ?? kept(steps.get(id), hash)]));
    pageStep = kept(pageStep, whole);
  }

  function judge(at: number): TranslationState | undefined {
    const { original, translation } = moments[at]!;
    if (!original) return undefined;
    if (!translation) return { state: 'missing', since: missingSince! };
    const { pairs, missing } = tools.match(original, translation);
    const pairOf = new Map(pairs);
    const lacks = new Set(missing);
    const late: FoundSection[] = [];
    for (const [place, { id, heading, hash, words }] of original.sections.entries()) {
      if (lacks.has(place)) {
        late.push({ state: 'missing', id, heading, since: presentSince(id), words });
        continue;
      }
      const other = pairOf.get(place);
      const step = other === undefined ? pageStep.at : steps.get(translation.sections[other]!.id)!.at;
      const then = moments[step]!.original;
      if (!then || then.sections.some((section) => section.hash === hash)) continue;
      const known = then.sections.findIndex((section) => section.id === id);
      const wasThere = known >= 0;
      // A page may have an id twice.
      const since = changes.get(id)?.find((change) => change.at > step && change.hash !== '')?.at ?? at;
      const isMissing = !wasThere && other === undefined;
      late.push({
        state: isMissing ? 'missing' : 'changed',
        id,
        heading,
        since,
        words: wasThere ? Math.max(1, tools.countChanged([then, known], [original, place])) : words,
      });
    }
    for (const section of listRemoved(original, translation, new Set(pairOf.values()))) late.push(section);
    if (late.length === 0) return { state: 'current' };
    const since = Math.min(...late.map((section) => section.since));
    const sections = late.map(({ words: _, ...section }) => ({ ...section, inStep: findBefore(section.since) }));
    const inSteps = sections.flatMap(({ inStep }) => (inStep === undefined ? [] : [inStep]));
    const inStep = inSteps.length > 0 ? Math.min(...inSteps) : undefined;
    const all = Math.max(...[original, inStep === undefined ? undefined : moments[inStep]!.original].map(countWords));
    const changed = late.reduce((sum, { words }) => sum + words, 0);
    return {
      state: 'behind',
      since,
      inStep,
      amount: Math.min(1, changed / Math.max(1, all)),
      sections,
    };
  }

  /** Returns sections that the translation still has of an original which has them no longer. */
  function listRemoved(original: Page, translation: Page, paired: ReadonlySet<number>): readonly FoundSection[] {
    return translation.sections.flatMap(({ id, hash }, place) => {
      const step = paired.has(place) ? undefined : steps.get(id)!.at;
      const then = step === undefined ? undefined : moments[step]!;
      if (!then?.original || then.original.hash === original.hash) return [];
      const at = then.translation!.sections.findIndex((section) => section.hash === hash);
      const [known] = tools.match(then.original, then.translation!).pairs.find(([, other]) => other === at) ?? [];
      const gone = known === undefined ? undefined : then.original.sections[known]!;
      if (!gone || hasSection(original, gone)) return [];
      const since = moments.findIndex((one, when) => when > step! && !hasSection(one.original, gone));
      return [{ state: 'removed' as const, id: gone.id, heading: gone.heading, since, words: gone.words }];
    });
  }

  /** Returns since when the original has had a section without a break. */
  function presentSince(id: string): number {
    const known = changes.get(id)!;
    const gap = known.findLastIndex(({ hash }) => hash === '');
    return known[gap + 1]!.at;
  }

  function findBefore(at: number): number | undefined {
    for (let place = at - 1; place >= 0; place--) {
      const { original, translation } = moments[place]!;
      if (original && translation) return place;
    }
    return undefined;
  }
}

/** Returns whether a page has a section, or what it says. */
function hasSection(page: TracedPage | undefined, { id, hash }: TracedSection): boolean {
  return page?.sections.some((section) => section.id === id || section.hash === hash) === true;
}

/** Returns whether two pages say the same under the same headings' ids. */
function isSame(one: TracedPage | undefined, other: TracedPage | undefined): boolean {
  if (one === other || !one || !other) return one === other;
  return one.hash === other.hash && one.sections.every(({ id }, at) => id === other.sections[at]?.id);
}

type FoundSection = Omit<LateSection, 'inStep'> & { readonly words: number };

function countWords(page: TracedPage | undefined): number {
  return page?.sections.reduce((sum, { words }) => sum + words, 0) ?? 0;
}
