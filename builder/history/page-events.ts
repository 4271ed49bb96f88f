import type { ReleaseChanges, SectionChanges } from './release-changes.ts';

/** An event of the page at a path, from a version's base to that version. Plain data, as it is published. */
export interface PageEvent {
  /** Name of the version. */
  readonly version: string;
  /** `added`: it is new; `changed`: it says something else; `moved`: it has come from another path; `left`: it has gone to another path; `removed`. */
  readonly kind: 'added' | 'changed' | 'moved' | 'left' | 'removed';
  /** The path that it has come from (`moved`, `added`) or gone to (`left`, `removed`), with a `#` and the id of the section if only that did. */
  readonly other?: string;
  /** How much of its text is another one, about; undefined = none. */
  readonly amount?: number;
  /** Of a page that changed: what happened to its sections. Lists that are empty are left out. */
  readonly sections?: Partial<SectionChanges>;
  readonly translation?: 'added' | 'removed';
}

/** Ids of sections that an event names in a list, at most. */
const MAX_SECTIONS = 30;

/** Lists what happened to the pages of a version, by the paths at which it did. */
export function listEvents(version: string, changes: ReleaseChanges): readonly (readonly [path: string, PageEvent])[] {
  const origins = new Map(changes.moved.map(({ from, to }) => [to, from]));
  const hosts = new Map(changes.split.map(({ from, section, to }) => [to, joinId(from, section)]));
  const ends = new Map(changes.merged.map(({ from, to, section }) => [from, joinId(to, section)]));
  const events: (readonly [string, PageEvent])[] = [];
  const add = (path: string, event: Omit<PageEvent, 'version'>): void => {
    events.push([path, { version, ...event }]);
  };
  for (const { path, amount, sections, translation } of changes.changed) {
    const other = origins.get(path);
    origins.delete(path);
    add(path, {
      kind: other === undefined ? 'changed' : 'moved',
      ...(other !== undefined && { other }),
      amount,
      sections: shorten(sections),
      ...(translation && { translation }),
    });
  }
  for (const [path, other] of origins) add(path, { kind: 'moved', other });
  for (const { from, to } of changes.moved) add(from, { kind: 'left', other: to });
  for (const path of changes.added) add(path, { kind: 'added', ...otherOf(hosts.get(path)) });
  for (const path of changes.removed) add(path, { kind: 'removed', ...otherOf(ends.get(path)) });
  return events;
}

function otherOf(other: string | undefined): Pick<PageEvent, 'other'> {
  return other === undefined ? {} : { other };
}

function joinId(path: string, section: string): string {
  return section === '' ? path : `${path}#${section}`;
}

function shorten(sections: SectionChanges): Partial<SectionChanges> {
  const lists = Object.entries(sections).filter(([, list]) => list.length > 0);
  return Object.fromEntries(lists.map(([name, list]) => [name, list.slice(0, MAX_SECTIONS)]));
}

/** Files with the events of pages, as they are published. */
export interface HistoryFiles {
  /** A power of two; 0 where nothing happened. */
  readonly buckets: number;
  /** The JSON of each bucket: `{format, pages: {path: [event]}}`, see `PageEvent`; the oldest event comes first. */
  readonly files: ReadonlyMap<number, string>;
}

/** Characters of a file's JSON, on the average: some 1 KB when it is compressed. */
const BUCKET_SIZE = 8_000;
const MAX_BUCKETS = 4_096;
/** Events of a page beyond this are left out, the oldest first. */
const MAX_EVENTS = 200;
/** Of a page that has moved, so many of its other paths come with each. */
const MAX_OTHER_PATHS = 8;

/**
 * Divides events into files by a hash of paths, so that a page that changes in one version changes one file. With a page come the events
 * of the paths that it had before or has now: whoever asks for one of them has the whole history.
 */
export function presentEvents(
  events: readonly (readonly [path: string, PageEvent])[],
  bucketOf: (path: string, buckets: number) => number,
): HistoryFiles {
  const pages = new Map<string, PageEvent[]>();
  for (const [path, event] of events) {
    const own = pages.get(path);
    if (own) own.push(event);
    else pages.set(path, [event]);
  }
  if (pages.size === 0) return { buckets: 0, files: new Map() };
  const texts = new Map<string, string>();
  let size = 0;
  for (const [path, own] of pages) {
    const text = JSON.stringify(own.slice(-MAX_EVENTS));
    texts.set(path, text);
    size += path.length + text.length;
  }
  let buckets = 1;
  while (buckets < MAX_BUCKETS && buckets * BUCKET_SIZE < size) buckets *= 2;
  const listed = Array.from({ length: buckets }, () => new Map<string, string>());
  for (const path of pages.keys()) {
    const own = listed[bucketOf(path, buckets)]!;
    for (const one of listPaths(path, pages)) own.set(one, texts.get(one)!);
  }
  const files = listed.map((own, bucket): readonly [number, string] => {
    const rows = [...own].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => `${JSON.stringify(path)}:${text}`);
    return [bucket, `{"format":1,"pages":{${rows.join()}}}`];
  });
  return { buckets, files: new Map(files) };
}

/** Returns a path and those that pages came from or went to through it. */
function listPaths(path: string, pages: ReadonlyMap<string, readonly PageEvent[]>): ReadonlySet<string> {
  const paths = new Set([path]);
  for (const one of paths) {
    for (const { kind, other } of pages.get(one) ?? []) {
      const leads = other !== undefined && (kind === 'moved' || kind === 'left');
      if (leads && pages.has(other) && paths.size <= MAX_OTHER_PATHS) paths.add(other);
    }
  }
  return paths;
}
