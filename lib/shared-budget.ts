/** One holder's part of a budget. */
export interface Share {
  /** Takes so much more, which others, or this holder itself, may lose for it. */
  grow(by: number): void;
  /** From now on the share is in use and not lost any more. */
  pin(): void;
  /** Gives all back. */
  release(): void;
}

/** An amount of something scarce (bytes, descriptors) that strangers hold together. */
export interface SharedBudget {
  /** Opens a share; `onLoss` is called once where it is lost: its holder drops what it has. */
  open(owner: string, onLoss: () => void): Share;
  /** Above the limit only as far as shares are pinned. */
  readonly used: number;
}

interface Held {
  readonly owner: string;
  readonly onLoss: () => void;
  size: number;
  isPinned: boolean;
}

/**
 * Creates a budget. Nobody waits: where it is exceeded, the oldest share is lost of an owner who holds as much as each would get if
 * all owners got the same. So one owner's shares push out each other alone; and of many owners, those who hold theirs for long make
 * room for those who are quick: a share is safe for as long as less than the whole budget is taken after it.
 */
export function createSharedBudget(limit: number): SharedBudget {
  /** In the order in which they were opened. */
  const shares = new Set<Held>();
  const owners = new Map<string, number>();
  let used = 0;

  const add = (held: Held, by: number): void => {
    held.size += by;
    used += by;
    const sum = (owners.get(held.owner) ?? 0) + by;
    if (sum > 0) owners.set(held.owner, sum);
    else owners.delete(held.owner);
  };
  const release = (held: Held): void => {
    if (!shares.delete(held)) return;
    add(held, -held.size);
  };
  const findVictim = (): Held | undefined => {
    const each = limit / owners.size;
    let oldest: Held | undefined;
    for (const held of shares) {
      if (held.isPinned || held.size === 0) continue;
      if (owners.get(held.owner)! >= each) return held;
      oldest ??= held;
    }
    return oldest;
  };
  return {
    get used() {
      return used;
    },
    open(owner, onLoss) {
      const held: Held = { owner, onLoss, size: 0, isPinned: false };
      shares.add(held);
      return {
        grow(by) {
          if (!shares.has(held)) return;
          add(held, by);
          while (used > limit) {
            const victim = findVictim();
            if (!victim) return;
            release(victim);
            victim.onLoss();
          }
        },
        pin() {
          held.isPinned = true;
        },
        release: () => release(held),
      };
    },
  };
}
