import { type Build, hasEnded } from '../../data/records/build.ts';

/** Those who wait for the end of builds. */
export interface BuildWatchers {
  /** Tells of a change; gives the build. */
  tell(build: Build): Build;
  /** Gives a build once it has ended; `find` looks it up. */
  waitFor(id: string, find: () => Promise<Build | undefined>): Promise<Build | undefined>;
}

/** Creates the watchers; `onChange` is told of every change. */
export function createBuildWatchers(onChange: ((build: Build) => void) | undefined): BuildWatchers {
  const waiting = new Map<string, Set<(build: Build) => void>>();
  return {
    tell(build) {
      onChange?.(build);
      if (!hasEnded(build.status)) return build;
      for (const wake of waiting.get(build.id) ?? []) wake(build);
      waiting.delete(build.id);
      return build;
    },
    async waitFor(id, find) {
      // Listening comes first: the build may end while it is looked up.
      let wake: (build: Build) => void = () => {};
      const ended = new Promise<Build>((resolve) => {
        wake = resolve;
        waiting.set(id, (waiting.get(id) ?? new Set()).add(resolve));
      });
      const build = await find();
      if (build !== undefined && !hasEnded(build.status)) return ended;
      const others = waiting.get(id);
      others?.delete(wake);
      if (others?.size === 0) waiting.delete(id);
      return build;
    },
  };
}
