import { type Build, hasEnded } from '../../data/records/build.ts';

/** Callers that wait for builds to end. */
export interface BuildWatchers {
  /** Announces a change; returns the build. */
  tell(build: Build): Build;
  /** Returns a build once it has ended, or once `release` was called; `find` looks it up. */
  waitFor(id: string, find: () => Promise<Build | undefined>): Promise<Build | undefined>;
  /** Ends all waiting: callers receive the current state of their builds. */
  release(): void;
}

/** Creates the watchers; `onChange` is called for every change. */
export function createBuildWatchers(onChange: ((build: Build) => void) | undefined): BuildWatchers {
  const waiting = new Map<string, Set<(build: Build | undefined) => void>>();
  let isReleased = false;
  return {
    tell(build) {
      onChange?.(build);
      if (!hasEnded(build.status)) return build;
      for (const wake of waiting.get(build.id) ?? []) wake(build);
      waiting.delete(build.id);
      return build;
    },
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
