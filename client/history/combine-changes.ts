/** A page that is not as it was in the version before, as pages about versions have it. */
export interface Step {
  readonly kind: string;
  readonly title: string;
  /** Path in the newer version, of a removed page in the older; undefined where its text is in a section of another page now. */
  readonly path?: string | undefined;
  /** Former path. */
  readonly from?: string | undefined;
  /** Share of its text that differs; undefined = none. */
  readonly amount?: number | undefined;
}

export interface Combined {
  readonly kind: 'added' | 'removed' | 'moved' | 'changed';
  readonly title: string;
  readonly path: string;
  readonly from?: string | undefined;
  /** 0 = its text is the same; undefined = it changed more than once in ways that may cancel each other out. */
  readonly amount: number | undefined;
}

interface PageState {
  readonly title: string;
  /** Path in the oldest version; undefined = it was not there. */
  readonly origin: string | undefined;
  readonly amount: number | undefined;
  /** Whether it changed on the way back. */
  readonly isBack: boolean;
}

/**
 * Returns what changed between two versions, from what changed in each version on the way: `back` from the one to the version that both
 * come from, the newest first, then `forth` to the other one, the oldest first.
 */
export function combineChanges(
  forth: readonly (readonly Step[])[],
  back: readonly (readonly Step[])[] = [],
): readonly Combined[] {
  let pages = new Map<string, PageState>();
  const removed = new Map<string, string>();
  for (const [at, steps] of [...back.map(reverseSteps), ...forth].entries()) {
    const isBack = at < back.length;
    const next = new Map(pages);
    // Pages may change places: what was is looked up in the version before.
    const before = (path: string): PageState =>
      pages.get(path) ?? { title: '', origin: path, amount: 0, isBack: false };
    for (const { kind, path, from } of steps) {
      const left = kind === 'removed' ? path : kind === 'moved' ? from : undefined;
      if (left !== undefined) next.delete(left);
    }
    for (const { kind, title, path, from, amount = 0 } of steps) {
      const gone = kind === 'removed' ? path : kind === 'moved' && path === undefined ? from : undefined;
      if (gone !== undefined) {
        const { origin } = before(gone);
        if (origin !== undefined) removed.set(origin, title);
      } else if (path !== undefined && kind === 'added') {
        // It was there, and is there again.
        const isAgain = removed.delete(path);
        next.set(path, { title, origin: isAgain ? path : undefined, amount: isAgain ? undefined : 0, isBack });
      } else if (path !== undefined) {
        const known = before(kind === 'moved' && from !== undefined ? from : path);
        const isUnsure = known.amount === undefined || (known.isBack && !isBack && known.amount > 0 && amount > 0);
        next.set(path, {
          title,
          origin: known.origin,
          amount: isUnsure ? undefined : 1 - (1 - known.amount) * (1 - amount),
          isBack: known.isBack || isBack,
        });
      }
    }
    pages = next;
  }
  const combined = [...pages].flatMap(([path, { title, origin, amount }]): readonly Combined[] => {
    if (origin === undefined) return [{ kind: 'added', title, path, amount }];
    if (origin !== path) return [{ kind: 'moved', title, path, from: origin, amount }];
    return amount !== 0 ? [{ kind: 'changed', title, path, amount }] : [];
  });
  const gone = [...removed].map(([path, title]): Combined => ({ kind: 'removed', title, path, amount: 0 }));
  return [...combined, ...gone].sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0));
}

/** Returns what became of pages from the newer version to the older one. */
function reverseSteps(steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => {
    const { kind, path, from } = step;
    if (kind === 'added') return { ...step, kind: 'removed', from: undefined };
    if (kind === 'removed') return { ...step, kind: 'added' };
    if (kind !== 'moved') return step;
    return path === undefined
      ? { ...step, kind: 'added', path: from, from: undefined }
      : { ...step, path: from, from: path };
  });
}
