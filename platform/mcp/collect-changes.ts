import * as z from 'zod';
import { DataError } from '../../data/data-error.ts';
import { followPage, type PageVersions } from '../../lib/follow-page.ts';

/** The fate of a page from one version to the next one, as a file of the site's history has it. */
const eventSchema = z.object({
  version: z.string(),
  kind: z.string(),
  /** The path that a moved page has come from. */
  other: z.string().optional(),
  /** How much of its text is another one; missing = none. */
  amount: z.number().optional(),
  sections: z
    .object({ changed: z.array(z.string()), added: z.array(z.string()), removed: z.array(z.string()) })
    .partial()
    .optional(),
});
const fileSchema = z.object({ format: z.literal(1), pages: z.record(z.string(), z.array(eventSchema)) });

type Event = z.infer<typeof eventSchema>;
/** Events of pages by their paths. */
export type PageEvents = ReadonlyMap<string, readonly Event[]>;

/** A page that is not as it was. Paths are those of HTML files. */
export interface ChangedPage {
  readonly path: string;
  /** Where a moved page was; of a new or removed page, where its text was or is now, if that is known. */
  readonly other?: string;
  /** How much of its text is another one, about: from 0 to 1. */
  readonly amount?: number;
  /** Ids of sections that are new or changed, as they were called then. */
  readonly sections?: readonly string[];
}

/** The differences from one version to another. */
export interface Changes {
  readonly added: readonly ChangedPage[];
  readonly removed: readonly ChangedPage[];
  /** Changed or not. */
  readonly moved: readonly ChangedPage[];
  readonly changed: readonly ChangedPage[];
  readonly unchanged: number;
}

const MAX_STEPS = 10_000;
const MAX_SECTIONS = 20;

/** Parses files of a site's history. Throws an error for any other text. */
export function parseEvents(texts: readonly string[]): PageEvents {
  return new Map(texts.flatMap((text) => Object.entries(fileSchema.parse(JSON.parse(text)).pages)));
}

/**
 * Collects what changed between two versions from what happened on the way from the one to the other. Throws DataError `invalid` where
 * there is no such way.
 */
export function collectChanges(
  pages: PageVersions,
  events: PageEvents,
  { from, to }: { readonly from: VersionPages; readonly to: VersionPages },
): Changes {
  const back = listLine(pages, from.version);
  const forth = listLine(pages, to.version);
  const isShared = new Set(back);
  const meeting = forth.find((version) => isShared.has(version));
  if (meeting === undefined) {
    const names = `"${from.version}" and "${to.version}"`;
    throw new DataError('invalid', `Versions ${names} do not follow each other; compare pages of them instead`);
  }
  const [down, up] = [back, forth].map((line) => line.slice(0, line.indexOf(meeting))) as [string[], string[]];
  const touched = listTouched(pages, [...down, ...up]);
  const kept = new Set<string>();
  const found = { added: [] as ChangedPage[], moved: [] as ChangedPage[], changed: [] as ChangedPage[] };
  let unchanged = 0;
  for (const path of to.pages) {
    const origin = follow({ version: to.version, path }, from);
    if (origin?.section !== '') {
      found.added.push({ path, ...(origin && { other: joinSection(origin) }) });
      continue;
    }
    kept.add(origin.path);
    const own = sumUp([...listEvents(path, up), ...listEvents(origin.path, down)]);
    if (origin.path !== path) found.moved.push({ path, other: origin.path, ...own });
    else if (own.amount !== undefined) found.changed.push({ path, ...own });
    else unchanged++;
  }
  const removed = [...from.pages]
    .filter((path) => !kept.has(path))
    .map((path): ChangedPage => {
      const target = follow({ version: from.version, path }, to);
      return { path, ...(target && target.path !== path && { other: joinSection(target) }) };
    });
  return { ...found, removed, unchanged };

  function follow(page: { readonly version: string; readonly path: string }, target: VersionPages) {
    if (touched.has(page.path)) return followPage(pages, { ...page, section: '' }, target.version);
    return target.pages.has(page.path) ? { path: page.path, section: '' } : undefined;
  }

  /** Lists what happened to a page in versions that follow each other, the newest first; `path` is that in the newest. */
  function listEvents(path: string, versions: readonly string[]): readonly Event[] {
    let at = path;
    return versions.flatMap((version) => {
      const own = events.get(at)?.find((event) => event.version === version && event.kind !== 'left');
      if (!own) return [];
      if (own.kind === 'moved' && own.other !== undefined) at = own.other;
      return own.amount === undefined ? [] : [own];
    });
  }
}

/** A version with the paths of its pages. */
interface VersionPages {
  readonly version: string;
  readonly pages: ReadonlySet<string>;
}

function listLine({ baseOf }: PageVersions, version: string): readonly string[] {
  const line: string[] = [];
  for (let at: string | undefined = version; at !== undefined && line.length < MAX_STEPS; at = baseOf(at))
    line.push(at);
  return line;
}

/** Returns the paths at which something else may be in another version. */
function listTouched({ movesOf }: PageVersions, versions: readonly string[]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const version of versions) {
    const { moved = [], merged = [], split = [] } = movesOf(version) ?? {};
    for (const [from, to] of [...moved, ...merged]) paths.add(from).add(to);
    for (const [from, , to] of split) paths.add(from).add(to);
  }
  return paths;
}

function sumUp(events: readonly Event[]): Pick<ChangedPage, 'amount' | 'sections'> {
  if (events.length === 0) return {};
  const kept = events.reduce((share, { amount = 0 }) => share * (1 - Math.min(1, amount)), 1);
  const sections = new Set(events.flatMap(({ sections: own }) => [...(own?.changed ?? []), ...(own?.added ?? [])]));
  const named = [...sections].filter(Boolean).slice(0, MAX_SECTIONS);
  return { amount: Math.round((1 - kept) * 100) / 100, ...(named.length > 0 && { sections: named }) };
}

function joinSection({ path, section }: { readonly path: string; readonly section: string }): string {
  return section === '' ? path : `${path}#${section}`;
}
