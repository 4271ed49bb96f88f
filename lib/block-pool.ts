/** Blocks of memory of one size, cut from larger slabs that go back to the system as a whole. */
export interface BlockPool {
  take(): Buffer;
  /** Takes blocks back. Nobody may use them any more. */
  giveBack(blocks: readonly Buffer[]): void;
  /** Bytes of all slabs. */
  readonly size: number;
}

interface Slab {
  readonly free: Buffer[];
  /** All of its blocks have been free since the last look at it. */
  isIdle: boolean;
}

/**
 * Creates a pool that keeps what it needs: blocks come from the oldest slab that has one, so that those which a rush has left become
 * free altogether, and whoever takes nothing for a while gets no memory kept. `idleMs`: a slab goes after once or twice that time.
 */
export function createBlockPool(options: {
  readonly blockBytes: number;
  readonly blocksPerSlab: number;
  readonly idleMs: number;
}): BlockPool {
  const { blockBytes, blocksPerSlab, idleMs } = options;
  /** The oldest first. */
  const slabs = new Set<Slab>();
  const owners = new WeakMap<ArrayBufferLike, Slab>();
  let timer: NodeJS.Timeout | undefined;

  const addSlab = (): Slab => {
    const memory = Buffer.allocUnsafeSlow(blockBytes * blocksPerSlab);
    const free = Array.from({ length: blocksPerSlab }, (_, at) =>
      memory.subarray(at * blockBytes, (at + 1) * blockBytes),
    );
    const slab = { free, isIdle: false };
    owners.set(memory.buffer, slab);
    slabs.add(slab);
    timer ??= setInterval(dropIdle, idleMs).unref();
    return slab;
  };
  const dropIdle = (): void => {
    for (const slab of slabs) {
      const isFree = slab.free.length === blocksPerSlab;
      if (isFree && slab.isIdle) slabs.delete(slab);
      slab.isIdle = isFree;
    }
    if (slabs.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const findSlab = (): Slab => {
    for (const slab of slabs) if (slab.free.length > 0) return slab;
    return addSlab();
  };
  return {
    get size() {
      return slabs.size * blockBytes * blocksPerSlab;
    },
    take() {
      const slab = findSlab();
      slab.isIdle = false;
      return slab.free.pop()!;
    },
    giveBack(blocks) {
      for (const block of blocks) owners.get(block.buffer)!.free.push(block);
    },
  };
}
