import type { Build } from '../../../data/records/build.ts';
import type { Lane } from '../../../data/turns.ts';
import { PUT_BACK } from '../build-reasons.ts';
import type { QueueStore } from './build-queue.ts';

/** The lanes of the next builds of a project, by how long its last ones took; undefined where there are none. */
export interface Lanes {
  /** Builds of one ref. */
  readonly one: Lane | undefined;
  /** Builds of all refs, which take longer. */
  readonly all: Lane | undefined;
}

/** How many builds of a project are looked at: some of the newest may say nothing. */
const LOOKED_AT = 20;

/** Returns what is known of builds of a project; those that took up to `shortMs` are short. */
export async function findLanes(store: QueueStore, project: string, shortMs: number): Promise<Lanes> {
  const find = async (
    query: { readonly ref?: string },
    isFit: (build: Build) => boolean,
  ): Promise<Lane | undefined> => {
    const found = await store.builds.list({ project, ...query, limit: LOOKED_AT });
    return found.filter(isFit).reduce<Lane | undefined>((lane, build) => lane ?? laneByEnd(build, shortMs), undefined);
  };
  const [one, all] = await Promise.all([find({}, (build) => !isOfAll(build)), find({ ref: '' }, isOfAll)]);
  return { one, all };
}

/** Returns what is known once a build has ended. */
export function learnLane(lanes: Lanes, ended: Build, shortMs: number): Lanes {
  const lane = laneByEnd(ended, shortMs);
  if (!lane) return lanes;
  return isOfAll(ended) ? { ...lanes, all: lane } : { ...lanes, one: lane };
}

/** Returns what is known of a build that waits; undefined = nothing. One that was put back for others is long. */
export function knownLane(lanes: Lanes, build: Build): Lane | undefined {
  if (build.reason === String(PUT_BACK)) return 'long';
  return isOfAll(build) ? lanes.all : lanes.one;
}

/** One that was cancelled took at least as long as it ran; of one that was interrupted nobody knows when it ended. */
function laneByEnd({ status, startedAt, finishedAt }: Build, shortMs: number): Lane | undefined {
  if (startedAt === '' || finishedAt === '') return undefined;
  const isLong = Date.parse(finishedAt) - Date.parse(startedAt) > shortMs;
  if (status === 'passing' || status === 'failing') return isLong ? 'long' : 'short';
  return status === 'cancelled' && isLong ? 'long' : undefined;
}

function isOfAll({ ref }: Build): boolean {
  return ref === '';
}
