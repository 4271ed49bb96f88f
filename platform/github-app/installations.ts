import * as z from 'zod';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import {
  checkAnswer,
  findRepositoryName,
  type GithubApi,
  type Installation,
  listPages,
  type RepositoryName,
} from './github-api.ts';
import { GithubError } from './github-error.ts';

/** Knows which installation reaches which repository: from events, else by asking. */
export interface Installations {
  /** Remembers what an event said; undefined = the App does not reach it. */
  remember(key: string, installation: Installation | undefined): void;
  /** Forgets what is known of an installation. */
  forget(id: number): void;
  /**
   * Does work as the installation that reaches a repository; returns undefined where there is none. What was remembered
   * and turns out to be over is asked for once more. Throws GithubError.
   */
  use<T>(
    key: string,
    repository: RepositoryName,
    work: (installation: Installation) => Promise<T>,
  ): Promise<T | undefined>;
}

/** How long "not installed" is believed, in ms; an event ends it earlier. */
const ABSENT_MS = 5 * 60_000;
const MAX_REMEMBERED = 10_000;
/** Answers of an API that no longer knows, or trusts, the installation. */
const OVER: ReadonlySet<number> = new Set([401, 403, 404]);

/** Creates an empty memory; keys are those of `repositoryKey`. */
export function createInstallations(api: GithubApi, now: () => Date): Installations {
  const known = createBoundedMap<string, { readonly installation: Installation | undefined; readonly untilMs: number }>(
    {
      maxEntries: MAX_REMEMBERED,
    },
  );
  const remember = (key: string, installation: Installation | undefined): void => {
    const untilMs = installation ? Number.POSITIVE_INFINITY : now().getTime() + ABSENT_MS;
    known.set(key, { installation, untilMs });
  };
  return {
    remember,
    forget(id) {
      for (const [key, { installation }] of [...known.entries()]) if (installation?.id === id) known.delete(key);
    },
    async use(key, repository, work) {
      const entry = known.get(key);
      const leftMs = (entry?.untilMs ?? 0) - now().getTime();
      // A clock that was ahead has made "not installed" last longer than it does.
      if (entry && leftMs > 0 && (entry.installation || leftMs <= ABSENT_MS)) {
        if (!entry.installation) return undefined;
        try {
          return await work(entry.installation);
        } catch (error) {
          if (!(error instanceof GithubError && OVER.has(error.status))) throw error;
          const found = await api.findInstallation(repository);
          remember(key, found);
          if (!found || found.id === entry.installation.id) throw error;
          return work(found);
        }
      }
      const found = await api.findInstallation(repository);
      remember(key, found);
      return found && work(found);
    },
  };
}

const ROUTE = 'GET /installation/repositories';
/** 10,000 repositories. */
const MAX_PAGES = 100;
const pageSchema = z.object({ repositories: z.array(z.object({ full_name: z.string() })) });

/** Returns the repositories that an installation reaches, for events that do not list them. Throws GithubError. */
export async function listGrantedRepositories(
  api: GithubApi,
  installation: number,
): Promise<readonly RepositoryName[]> {
  const pages = await listPages(api, installation, { route: ROUTE, parameters: {}, maxPages: MAX_PAGES });
  return pages
    .flatMap((page) => checkAnswer(pageSchema, page, `"${ROUTE}"`).repositories)
    .map(({ full_name }) => findRepositoryName(full_name))
    .filter((name) => name !== undefined);
}
