import type { Collection } from '../../data/collection.ts';
import { DataError } from '../../data/data-error.ts';
import { type Build, builds } from '../../data/records/build.ts';
import { type Project, projects } from '../../data/records/project.ts';
import { COLLECTIONS } from '../../data/store.ts';
import {
  createRecordDigest,
  digestCollection,
  type Page,
  type RecordDigest,
  type Vault,
  type VaultReader,
} from '../../data/vault.ts';
import type { LogStorage } from '../builds/build-logs.ts';
import { copyLogs } from './copy-logs.ts';
import { digestSite, type SiteDigest, type SiteSource, type SiteTarget } from './site-copies.ts';

/** The records, logs and sites that were copied and compared with their source. */
export interface CopyReport {
  /** By the names of collections. */
  readonly records: Readonly<Record<string, RecordDigest>>;
  /** Logs of builds, and lists of what builds found. */
  readonly logs: number;
  /** By the names of projects; undefined = sites were not to be copied. */
  readonly sites: Readonly<Record<string, SiteDigest>> | undefined;
  /** Projects that the source does not have, and of which the target had a site or logs. */
  readonly others: {
    /** Whether these were removed. */
    readonly areRemoved: boolean;
    readonly projects: readonly string[];
  };
}

/** How far it is; `done` counts sites, records or logs. */
export interface CopyProgress {
  readonly what: 'sizes' | 'sites' | 'records' | 'logs' | 'checks';
  readonly done: number;
}

/**
 * Copies records, logs of builds and, where they are given, sites, and reads all of it again to compare it with the source. Until
 * that has succeeded the target is marked as not whole; where it was interrupted, another call goes on. What only the nodes of
 * the source knew is left out: which of them runs a build, and what one was about to publish. Throws DataError `taken` for a target
 * that has records, unless these are to be replaced, `unwritable` for one that cannot hold them, `damaged` for a copy that differs.
 */
export async function copyStore(options: {
  readonly source: VaultReader & { readonly logs: LogStorage };
  readonly target: Vault & { readonly logs: LogStorage };
  /** Undefined: sites stay where they are. */
  readonly sites: { readonly source: SiteSource; readonly target: SiteTarget } | undefined;
  readonly onProgress: (progress: CopyProgress) => void;
  /** Removes the target's records, and sites and logs of projects that the source does not have. */
  readonly isReplacing?: boolean;
  /** Where sites are that nothing is copied to; default: where they are copied to. */
  readonly siteTarget?: SiteTarget | undefined;
}): Promise<CopyReport> {
  const { source, target, sites, onProgress, isReplacing = false, siteTarget = sites?.target } = options;
  if (!isReplacing) await checkUnused(target, 'name a place that has none');
  const counter = (what: CopyProgress['what']) => {
    let done = 0;
    return (more: number) => {
      done += more;
      onProgress({ what, done });
    };
  };
  await checkFits(source, target, counter('sizes'));
  await target.begin();

  const copied = sites && (await copySites(source, { ...sites, onSite: counter('sites') }));
  /** Returns records as the target is to have them. */
  const adapt = createAdapter(sites && copied!.editions);
  const count = counter('records');
  const records: Record<string, RecordDigest> = {};
  for (const collection of COLLECTIONS) {
    let digest = createRecordDigest();
    await target.write(collection, async function* () {
      digest = createRecordDigest();
      for await (const page of source.read(collection)) {
        const adapted = adapt(collection.name, page);
        digest.add(adapted);
        yield adapted;
        count(page.length);
      }
    });
    records[collection.name] = digest.result();
  }
  const logs = await copyLogs(source, target, counter('logs'));

  const check = counter('checks');
  for (const collection of COLLECTIONS) {
    const there = await digestCollection(target, collection, check);
    const meant = records[collection.name]!;
    if (there.records !== meant.records || there.hash !== meant.hash) {
      const counts = `${there.records} records instead of ${meant.records}`;
      throw new DataError(
        'damaged',
        `Collection "${collection.name}" differs in ${target.name} (${counts}); copy it again`,
      );
    }
  }
  // By now the target has all that it is to have; until the mark is gone, another call removes what this one does not.
  const others = await findOthers(source, { logs: target.logs, sites: siteTarget, withSites: copied?.digests });
  if (isReplacing) for (const other of others) await other.remove();
  await target.finish();
  const projects = [...new Set(others.map(({ project }) => project))].sort();
  return { records, logs, sites: copied?.digests, others: { areRemoved: isReplacing, projects } };
}

/**
 * Throws DataError `unwritable` where a target that has a limit cannot hold what the source has, before anything is changed: sites
 * may take long. Only what they add to records is not known yet.
 */
async function checkFits(source: VaultReader, target: Vault, onRecords: (count: number) => void): Promise<void> {
  if (!target.checkFits) return;
  const adapt = createAdapter(undefined);
  async function* read(collection: Collection<unknown>): AsyncGenerator<Page> {
    for await (const page of source.read(collection)) {
      yield adapt(collection.name, page);
      onRecords(page.length);
    }
  }
  for (const collection of COLLECTIONS) await target.checkFits(collection, read(collection));
}

/** Finds what is there of projects that the source does not have, or whose sites it does not have while it has others'. */
async function findOthers(
  source: VaultReader,
  there: {
    readonly logs: LogStorage;
    readonly sites: SiteTarget | undefined;
    readonly withSites: Readonly<Record<string, SiteDigest>> | undefined;
  },
): Promise<readonly { readonly project: string; remove(): Promise<void> }[]> {
  const { logs, sites, withSites } = there;
  const known = new Set<string>();
  for await (const page of source.read(projects)) for (const { name } of page as readonly Project[]) known.add(name);
  const hasSite = (name: string): boolean => (withSites ? Object.hasOwn(withSites, name) : known.has(name));
  const siteNames = (await sites?.listProjects()) ?? [];
  return [
    ...siteNames.flatMap((project) => (hasSite(project) ? [] : { project, remove: () => sites!.remove(project) })),
    ...(await logs.listProjects()).flatMap((project) =>
      known.has(project) ? [] : { project, remove: () => logs.remove(project, undefined) },
    ),
  ];
}

/** Throws DataError `taken` for a place that has records; `advice` says what to do then. */
export async function checkUnused(target: Vault, advice: string): Promise<void> {
  if ((await target.findState()) !== 'used') return;
  throw new DataError('taken', `Cannot copy to ${target.name}: it has records; ${advice}`);
}

async function copySites(
  source: VaultReader,
  context: { readonly source: SiteSource; readonly target: SiteTarget; readonly onSite: (count: number) => void },
): Promise<{ readonly editions: ReadonlyMap<string, string>; readonly digests: Readonly<Record<string, SiteDigest>> }> {
  const editions = new Map<string, string>();
  const digests: Record<string, SiteDigest> = {};
  for await (const page of source.read(projects)) {
    for (const project of page as readonly Project[]) {
      const copy = await context.source.open(project);
      if (!copy) continue;
      const meant = await digestSite(copy);
      const { digest, edition } = await context.target.put(project.name, copy);
      if (digest.hash !== meant.hash || digest.files !== meant.files) {
        const message = `The site of project "${project.name}" differs in ${context.target.name}; copy it again`;
        throw new DataError('damaged', message);
      }
      digests[project.name] = digest;
      if (edition !== undefined) editions.set(project.name, edition);
      context.onSite(1);
    }
  }
  return { editions, digests };
}

/** Returns what makes records those of another place; `editions` are those of sites that were copied. */
export function createAdapter(
  editions: ReadonlyMap<string, string> | undefined,
): (collection: string, page: Page) => Page {
  const adaptProject = ({ site, ...project }: Project): Partial<Project> => {
    const edition = editions ? editions.get(project.name) : site?.edition;
    return edition === undefined ? project : { ...project, site: { edition, staged: undefined } };
  };
  const adaptBuild = ({ run, ...build }: Build): Partial<Build> => build;
  return (collection, page) => {
    if (collection === projects.name) return (page as readonly Project[]).map(adaptProject);
    if (collection === builds.name) return (page as readonly Build[]).map(adaptBuild);
    return page;
  };
}
