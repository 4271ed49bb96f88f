/** See `builder/history/page-events.ts`. */
export interface PageEvent {
  readonly version: string;
  readonly kind: 'added' | 'changed' | 'moved' | 'left' | 'removed';
  readonly other?: string;
  readonly amount?: number;
}

/** The fates of the pages at some paths. */
export type Events = Readonly<Record<string, readonly PageEvent[]>>;

/** A page in a version: the name of the version, and the path in it. */
export interface Place {
  readonly version: string;
  readonly path: string;
}

/** The fate of the page in a version. */
export interface Entry extends Place {
  readonly kind: 'added' | 'changed' | 'moved';
  /** Its former path. */
  readonly from?: string | undefined;
  /** The version it is compared with, where its text is another one. */
  readonly base?: string | undefined;
}

/**
 * Follows a page through the versions of a line, the newest first, back and forth from the one in which it has a path. Returns what
 * happened, the newest first; where it was first; and since when it has been what it is in that version.
 */
export function followHistory(
  line: readonly string[],
  events: Events,
  { version, path }: Place,
): { readonly entries: readonly Entry[]; readonly first: Place; readonly since: Place } {
  const here = line.indexOf(version);
  const find = (file: string, name: string, ...kinds: readonly PageEvent['kind'][]): PageEvent | undefined =>
    events[file]?.find((event) => event.version === name && kinds.includes(event.kind));
  const describe = (at: number, file: string, { kind, other, amount }: PageEvent): Entry => ({
    kind: kind as Entry['kind'],
    version: line[at]!,
    path: file,
    from: kind === 'moved' ? other : undefined,
    base: amount === undefined ? undefined : line[at + 1],
  });
  const back: Entry[] = [];
  let first: Place = { version, path };
  let file = path;
  for (let at = here; at < line.length; at++) {
    first = { version: line[at]!, path: file };
    const event = find(file, line[at]!, 'added', 'changed', 'moved');
    if (!event) continue;
    back.push(describe(at, file, event));
    if (event.kind === 'added') break;
    if (event.kind === 'moved' && event.other !== undefined) file = event.other;
  }
  const forth: Entry[] = [];
  file = path;
  for (let at = here - 1; at >= 0; at--) {
    const name = line[at]!;
    if (find(file, name, 'removed')) break;
    file = find(file, name, 'left')?.other ?? file;
    const event = find(file, name, 'changed', 'moved');
    if (event) forth.unshift(describe(at, file, event));
  }
  return { entries: [...forth, ...back], first, since: back[0] ?? first };
}
