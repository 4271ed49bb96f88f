import type { ReleaseChanges } from '../../builder/history/release-changes.ts';
import { type MoveCase, veilId } from './moves-fixture.ts';

export type Verdict = 'right' | 'unsure' | 'wrong';

/** The answer to a case: a page, perhaps with the id of a section, or null. */
export interface Answer {
  readonly page: string | null;
  /** '' = the page's beginning. */
  readonly section: string;
}

/** Returns where a page or section has gone, as a reader who switches versions is led there. Ids are veiled. */
export function answerMove(changes: ReleaseChanges, { from }: Pick<MoveCase, 'from'>): Answer {
  const [path, id = ''] = from.split('#');
  const page = `${path}.html`;
  const fromSection = veilId(id);
  const ofSection = id !== '' && changes.sections.find((one) => one.from === page && one.fromSection === fromSection);
  if (ofSection) return { page: withoutEnding(ofSection.to), section: ofSection.toSection };
  const found = changes.moved.find((one) => one.from === page) ?? changes.merged.find((one) => one.from === page);
  const isGone = found === undefined && changes.removed.includes(page);
  if (isGone) return { page: null, section: '' };
  const to = found?.to ?? page;
  const own = found && 'section' in found ? String(found.section) : '';
  if (id === '') return { page: withoutEnding(to), section: own };
  const change = changes.changed.find((one) => one.from === page && one.path === to);
  // Only the page is known.
  if (change?.sections.removed.includes(fromSection))
    return { page: to === page ? null : withoutEnding(to), section: own };
  const renamed = change?.sections.moved.find((one) => one.from === fromSection);
  return { page: withoutEnding(to), section: renamed?.to ?? fromSection };
}

/** Judges an answer. Who says that there is nothing, or leads to the right page but not to its section, is unsure and not wrong. */
export function judgeAnswer(answer: Answer, { right }: Pick<MoveCase, 'right'>): Verdict {
  let isNear = answer.page === null;
  for (const one of right) {
    const [page = null, id] = one?.split('#') ?? [];
    if (page !== answer.page) continue;
    if (page === null || id === undefined || veilId(id) === answer.section) return 'right';
    isNear = true;
  }
  return isNear ? 'unsure' : 'wrong';
}

function withoutEnding(path: string): string {
  return path.replace(/\.html$/, '');
}
