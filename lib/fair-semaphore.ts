/** Who waits for a permit. */
export interface Waiter {
  /** Lanes take turns, whoever waits in them, and each has its own places to wait. */
  readonly lane: string;
  /** Owners take turns within their lane. */
  readonly owner: string;
}

/** The answer to a caller: what releases the permit, or why there is none. */
export type Permit =
  | { readonly release: () => void }
  /** `greedy`: this owner has too many waiting. `full`: all have. `late`: none became free in time. */
  | { readonly refusal: 'greedy' | 'full' | 'late' };

/** Limits how many pieces of work run at once; those that wait take turns by owner. */
export interface FairSemaphore {
  acquire(waiter: Waiter, timeoutMs: number): Promise<Permit>;
}

interface Place {
  settle(permit: 'granted' | 'full' | 'late'): void;
}

/** Owners with what they have waiting, in the order of their turns. */
type Lane = Map<string, Place[]>;

/**
 * Creates a semaphore with so many permits. At most `maxWaiting` wait in a lane, and `maxWaitingEach` of one owner; where a
 * lane is full, an owner with few in it takes the newest place of the one with most.
 */
export function createFairSemaphore({
  permits,
  maxWaiting,
  maxWaitingEach,
}: {
  readonly permits: number;
  readonly maxWaiting: number;
  readonly maxWaitingEach: number;
}): FairSemaphore {
  let free = permits;
  /** Those in which somebody waits, in the order of their turns. */
  const lanes = new Map<string, Lane>();

  const remove = ({ lane, owner }: Waiter, place: Place): void => {
    const owners = lanes.get(lane);
    const places = owners?.get(owner);
    const index = places?.indexOf(place) ?? -1;
    if (!owners || !places || index === -1) return;
    places.splice(index, 1);
    if (places.length === 0) owners.delete(owner);
    if (owners.size === 0) lanes.delete(lane);
  };
  /** Takes the place whose turn it is; its lane and its owner go to the end. */
  const takeNext = (): Place | undefined => {
    const [nextLane] = lanes;
    if (!nextLane) return undefined;
    const [lane, owners] = nextLane;
    const [owner, places] = [...owners][0]!;
    lanes.delete(lane);
    lanes.set(lane, owners);
    owners.delete(owner);
    owners.set(owner, places);
    const place = places[0]!;
    remove({ lane, owner }, place);
    return place;
  };
  const release = (): void => {
    const next = takeNext();
    if (next) next.settle('granted');
    else free++;
  };
  /** Makes room in a full lane for an owner who has so many there; returns whether there is. */
  const makeRoom = (lane: string, waiting: number): boolean => {
    const owners = [...(lanes.get(lane) ?? [])];
    const total = owners.reduce((sum, [, places]) => sum + places.length, 0);
    if (total < maxWaiting) return true;
    const [owner, places] = owners.reduce((most, one) => (one[1].length > most[1].length ? one : most));
    if (places.length <= waiting + 1) return false;
    const newest = places.at(-1)!;
    remove({ lane, owner }, newest);
    newest.settle('full');
    return true;
  };
  const createPermit = (): Permit => {
    let isReleased = false;
    return {
      release() {
        if (isReleased) return;
        isReleased = true;
        release();
      },
    };
  };

  return {
    async acquire(waiter, timeoutMs) {
      if (free > 0) {
        free--;
        return createPermit();
      }
      const { lane, owner } = waiter;
      const waiting = lanes.get(lane)?.get(owner)?.length ?? 0;
      if (waiting >= maxWaitingEach) return { refusal: 'greedy' };
      if (!makeRoom(lane, waiting)) return { refusal: 'full' };
      const outcome = await new Promise<'granted' | 'full' | 'late'>((resolve) => {
        const place: Place = {
          settle(found) {
            clearTimeout(timer);
            resolve(found);
          },
        };
        const timer = setTimeout(() => {
          remove(waiter, place);
          resolve('late');
        }, timeoutMs);
        const owners: Lane = lanes.get(lane) ?? new Map();
        lanes.set(lane, owners);
        owners.set(owner, [...(owners.get(owner) ?? []), place]);
      });
      return outcome === 'granted' ? createPermit() : { refusal: outcome };
    },
  };
}
