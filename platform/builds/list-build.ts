import { type Build, hasEnded } from '../../data/records/build.ts';

/** A build in a list. */
export interface ListedBuild extends Build {
  /** The first line of what went wrong, or of why it waits; '' = nothing did. */
  readonly error: string;
  /** How long it took, or has taken so far; undefined while it waits, and where nobody noted it. */
  readonly durationMs: number | undefined;
  /** Whether it can be requested once more. */
  readonly canRetry: boolean;
}

/** Returns what a list shows of a build. */
export function listBuild(build: Build, now: Date): ListedBuild {
  const { status, startedAt, finishedAt, result } = build;
  const endMs = finishedAt === '' ? now.getTime() : Date.parse(finishedAt);
  const text = build.reason || (result?.firstError ?? '');
  const errors = result?.errors ?? 0;
  return {
    ...build,
    error: text.trim().split('\n', 1)[0]!,
    durationMs: startedAt === '' ? undefined : Math.max(0, endMs - Date.parse(startedAt)),
    canRetry: hasEnded(status) && status !== 'superseded' && (status !== 'passing' || errors > 0),
  };
}
