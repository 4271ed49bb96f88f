import { type Build, hasEnded } from '../../../data/records/build.ts';

/** Callers that wait for builds to end. */
export interface BuildWatchers {
  /** Announces a change; returns the build. */
  tell(build: Build): Build;
  /** Lets those go on who wait for a build: it has ended, or is gone. */
  wake(id: string, build: Build | undefined): void;
  /** Returns the ids of builds that somebody waits for. */
  listWaiting(): readonly string[];
  /** Returns a build once it has ended, or once `release` was called; `find` looks it up. */
  waitFor(id: string, find: () => Promise<Build | undefined>): Promise<Build | undefined>;
  /** Ends all waiting: callers receive the current state of their builds. */
  release(): void;
}

/** Creates the watchers; `onChange` is called for every change. */
export function createBuildWatchers(onChange: ((build: Build) => void) | undefined): BuildWatchers {
  const waiting = new Map<string, Set<(build: Build | undefined) => void>>();
  let isReleased = false;
  const wake = (id: string, build: Build | undefined): void => {
    for (const resolve of waiting.get(id) ?? []) resolve(build);
    waiting.delete(id);
  };
  return {
    tell(build) {
      onChange?.(build);
      if (hasEnded(build.status)) wake(build.id, build);
      return build;
    },
    wake,
    listWaiting: () => [...waiting.keys()],
    async waitFor(id, find) {
      // Listen first: the build may end while it is looked up.
      let wake: (build: Build | undefined) => void = () => {};
      const ended = new Promise<Build | undefined>((resolve) => {
        wake = resolve;
        waiting.set(id, (waiting.get(id) ?? new Set()).add(resolve));
      });
      const build = await find();
      if (build !== undefined && !hasEnded(build.status) && !isReleased) return (await ended) ?? find();
      const others = waiting.get(id);
      others?.delete(wake);
      if (others?.size === 0) waiting.delete(id);
      return build;
    },
    release() {
      isReleased = true;
      for (const wakers of waiting.values()) for (const wake of wakers) wake(undefined);
      waiting.clear();
    },
  };
}
