import { randomUUID } from 'node:crypto';
import { formatProblem } from '../../builder/index.ts';
import type { Build } from '../../data/records/build.ts';
import type { Notification } from '../../data/records/notification.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import type { BuildLogs } from '../builds/build-logs.ts';
import { findOrigin } from '../builds/queue/build-queue.ts';
import { findFailing, findVersionStatus } from '../projects/version-status.ts';

export interface ChangeContext {
  readonly store: Pick<Store, 'projects' | 'builds' | 'notifications'>;
  readonly logs: Pick<BuildLogs, 'readProblems'>;
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
}

type BuildProblemsReader = (build: string) => ReturnType<BuildLogs['readProblems']>;

/** How a version stands now. */
type Standing =
  | (Pick<Notification, 'state' | 'build' | 'errors' | 'messages'> & { readonly state: 'failing' | 'mended' })
  /** It is gone, or was never built. */
  | 'unknown'
  /** Nothing is known of it alone: a build of all refs failed, or nobody knows whether it exists. */
  | 'undecided';

/** Most notifications that wait: of a project, and in all. A project may use no more than what it leaves to the others. */
const MAX_WAITING = 100;
const MAX_WAITING_IN_ALL = 1_000;
const MAX_MESSAGES = 10;
const MAX_MESSAGE = 500;

/**
 * Compares how the versions of a project stand with how they were last known, and records what has changed; for changes that
 * somebody wants to hear of, the record waits to be sent. Looks at the given ref, and at all that fail or failed. Doing it twice
 * changes nothing: what a killed process missed is found later.
 */
export async function recordChanges(name: string, ref: string, context: ChangeContext): Promise<void> {
  const { store, logs, now, onWarning } = context;
  const project = await store.projects.find(name);
  if (!project) return;
  const known = await store.notifications.listFailing(name);
  const knownRefs = new Set(known.map((one) => one.ref));
  const readProblems = rememberLast((build) => logs.readProblems(name, build));
  const changes = new Map<string, Exclude<Standing, 'undecided'>>();
  for (const one of new Set([ref, ...project.failing.map((failing) => failing.ref), ...knownRefs])) {
    const isKnown = knownRefs.has(one);
    if (isKnown && findFailing(project, one)) continue;
    const standing = await findStanding(project, one, { store, readProblems });
    if (standing === 'undecided') continue;
    if (standing !== 'unknown' && (standing.state === 'failing') === isKnown) continue;
    changes.set(one, standing);
  }
  if (changes.size === 0) return;
  const { notify = '' } = project;
  const at = now().toISOString();
  const records = await store.notifications.changeAll(name, [...changes.keys()], (one, _, waiting) => {
    const standing = changes.get(one)!;
    if (standing === 'unknown') return undefined;
    const isFull = waiting.ofProject >= Math.min(MAX_WAITING, MAX_WAITING_IN_ALL - waiting.inAll);
    const delivery = notify === '' ? 'none' : isFull ? 'dropped' : 'waiting';
    const nextAt = delivery === 'waiting' ? at : '';
    const id = `msg_${randomUUID()}`;
    return { project: name, ref: one, id, at, ...standing, delivery, attempts: 0, nextAt, failure: '' };
  });
  const dropped = records.filter((record) => record?.delivery === 'dropped').length;
  if (dropped > 0) {
    onWarning(
      `${dropped} notifications of project "${name}" were dropped: of a project ${MAX_WAITING} may wait, and fewer when many wait in all`,
    );
  }
}

/** Reads again only for another build than the last time: versions that fail at once do so in the same build. */
function rememberLast(read: BuildProblemsReader): BuildProblemsReader {
  let last = { build: '', problems: Promise.resolve<Awaited<ReturnType<BuildProblemsReader>>>([]) };
  return (build) => {
    if (last.build !== build) last = { build, problems: read(build) };
    return last.problems;
  };
}

async function findStanding(
  project: Project,
  ref: string,
  { store, readProblems }: Pick<ChangeContext, 'store'> & { readonly readProblems: BuildProblemsReader },
): Promise<Standing> {
  const { name } = project;
  const verdict = await store.builds.findLastFinished(name, ref);
  const status = findVersionStatus(project, ref === '' ? undefined : ref, verdict);
  if (status === 'unknown') return 'unknown';
  if (status === 'passing')
    return { state: 'mended', build: verdict?.id ?? project.publishedBy ?? '', errors: 0, messages: [] };
  if (verdict?.status === 'failing' && verdict.ref === ref) {
    if (await mayBeMadeUp(project, verdict, store)) return 'undecided';
    return { state: 'failing', build: verdict.id, errors: 1, messages: shorten(verdict.reason.split('\n')) };
  }
  const failing = findFailing(project, ref);
  if (!failing) return 'undecided';
  const { build, errors, reason } = failing;
  const problems = await readProblems(build);
  const own = problems.filter((problem) => problem.severity === 'error' && problem.ref === ref);
  const messages = own.map((problem) => formatProblem({ ...problem, ref: '' }));
  return { state: 'failing', build, errors, messages: shorten(messages.length > 0 ? messages : [reason]) };
}

/** Without a secret anybody may request builds of refs that do not exist: receivers must not hear of each. */
async function mayBeMadeUp(
  { secret, versions }: Project,
  build: Build,
  { builds }: Pick<Store, 'builds'>,
): Promise<boolean> {
  if (secret !== '' || build.ref === '' || versions.some(({ ref }) => ref === build.ref)) return false;
  const { cause } = await findOrigin(build, builds);
  return cause === 'api' || cause === 'webhook';
}

function shorten(messages: readonly string[]): readonly string[] {
  return messages
    .filter((message) => message !== '')
    .slice(0, MAX_MESSAGES)
    .map((message) => (message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message));
}
