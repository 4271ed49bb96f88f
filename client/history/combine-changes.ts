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
  /** 0 = its text is the same. */
  readonly amount: number;
}

interface PageState {
  readonly title: string;
  /** Path in the oldest version; undefined = it was not there. */
  readonly origin: string | undefined;
  readonly amount: number;
}

/** Returns what changed over several versions, from what changed in each of them, the oldest first. */
export function combineChanges(versions: readonly (readonly Step[])[]): readonly Combined[] {
  let pages = new Map<string, PageState>();
  const removed = new Map<string, string>();
  for (const steps of versions) {
    const next = new Map(pages);
    // Pages may change places: what was is looked up in the version before.
    const before = (path: string): PageState => pages.get(path) ?? { title: '', origin: path, amount: 0 };
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
        const origin = removed.delete(path) ? path : undefined;
        next.set(path, { title, origin, amount: origin === undefined ? 0 : 1 });
      } else if (path !== undefined) {
        const known = before(kind === 'moved' && from !== undefined ? from : path);
        next.set(path, { title, origin: known.origin, amount: 1 - (1 - known.amount) * (1 - amount) });
      }
    }
    pages = next;
  }
  const combined = [...pages].flatMap(([path, { title, origin, amount }]): readonly Combined[] => {
    if (origin === undefined) return [{ kind: 'added', title, path, amount }];
    if (origin !== path) return [{ kind: 'moved', title, path, from: origin, amount }];
    return amount > 0 ? [{ kind: 'changed', title, path, amount }] : [];
  });
  const gone = [...removed].map(([path, title]): Combined => ({ kind: 'removed', title, path, amount: 0 }));
  return [...combined, ...gone].sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0));
}
