import type { Build } from '../../data/records/build.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import type { PresentedProject } from './present-project.ts';

/** How projects stand, which a search can ask for. */
export const PROJECT_STANDINGS = ['passing', 'failing', 'open', 'stopped', 'none', 'scheduled'] as const;
/**
 * `passing` and `failing`: the newest build is, and no version of a project that passes fails; `open`: a build waits or runs; `stopped`: the
 * newest one was cancelled, superseded or interrupted; `none`: nothing was ever built; `scheduled`: it is built by a crontab.
 */
export type ProjectStanding = (typeof PROJECT_STANDINGS)[number];

/** A project with its newest build. */
export interface FoundProject {
  readonly project: PresentedProject;
  readonly build: Build | undefined;
}

/** A page of what a search has found. */
export interface FoundProjects {
  readonly found: readonly FoundProject[];
  /** The name after which the search goes on; undefined where nothing is left. */
  readonly next: string | undefined;
}

/** Projects that are looked at for one page, and how many at once. */
const MAX_SEARCHED = 2_000;
const SEARCHED_AT_ONCE = 100;

/**
 * Searches projects, in the natural order of their names: those whose name or repository, as it is shown, contains `text`,
 * and that stand as `standing` says. Returns up to `limit` after the one of the name `after`, and the name after which the search
 * goes on: one page is found among up to 2,000 projects.
 */
export async function searchProjects(
  {
    store,
    present,
  }: { readonly store: Pick<Store, 'projects' | 'builds'>; readonly present: (project: Project) => PresentedProject },
  search: {
    readonly text: string;
    readonly standing: ProjectStanding | undefined;
    readonly after: string | undefined;
    readonly limit: number;
  },
): Promise<FoundProjects> {
  const { standing, limit } = search;
  const text = search.text.toLowerCase();
  const found: FoundProject[] = [];
  let next = search.after;
  for (let searched = 0; searched < MAX_SEARCHED; searched += SEARCHED_AT_ONCE) {
    const page = { ...(next !== undefined && { after: next }), limit: SEARCHED_AT_ONCE };
    const some = (await store.projects.listNaturally(page)).map(present);
    const named = some.filter(({ name, url }) => name.includes(text) || url.toLowerCase().includes(text));
    const newest = await store.builds.listNewest(named.map(({ name }) => name));
    for (const [at, project] of named.entries()) {
      const one = { project, build: newest[at] };
      if (standing !== undefined && !isAt(one, standing)) continue;
      if (found.length === limit) return { found, next: found.at(-1)!.project.name };
      found.push(one);
    }
    next = some.at(-1)?.name;
    if (some.length < SEARCHED_AT_ONCE) return { found, next: undefined };
  }
  return { found, next };
}

function isAt({ project, build }: FoundProject, standing: ProjectStanding): boolean {
  const hasFailing = project.failing.length > 0;
  switch (standing) {
    case 'passing':
      return build?.status === 'passing' && !hasFailing;
    case 'failing':
      return build?.status === 'failing' || hasFailing;
    case 'open':
      return build?.status === 'queued' || build?.status === 'running';
    case 'stopped':
      return /^(?:cancelled|superseded|interrupted)$/.test(build?.status ?? '');
    case 'none':
      return build === undefined;
    case 'scheduled':
      return project.scheduledAt !== undefined;
  }
}
