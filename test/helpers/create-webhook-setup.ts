import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Build } from '../../data/records/build.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { createBuildLogs } from '../../platform/builds/build-logs.ts';
import { isRefExcluded } from '../../platform/builds/excluded-refs.ts';
import { createLogFiles } from '../../platform/builds/log-storages.ts';
import type { BuildQueue } from '../../platform/builds/queue/build-queue.ts';
import { createBuildQueue } from '../../platform/builds/queue/create-queue.ts';
import type { BuildOutcome } from '../../platform/builds/run-build.ts';
import {
  createWebhookContext,
  handleWebhook,
  type WebhookAnswer,
  type WebhookContext,
} from '../../platform/pushes/handle-webhook.ts';
import { createSecretGuesses } from '../../platform/pushes/secret-guesses.ts';
import { createOutcome } from './create-records.ts';
import { createSlowStore } from './create-slow-store.ts';
import type { SignedCall } from './sign-webhook.ts';

/** Webhooks of one project with the real queue; only the building itself is short. */
export interface WebhookSetup {
  readonly context: WebhookContext;
  readonly store: Store;
  readonly queue: BuildQueue;
  /** Moves on by itself only where a test says so. */
  readonly clock: { ms: number };
  /** Sends a call to the project as it is now. */
  send(call: SignedCall): Promise<WebhookAnswer>;
  /** Lets the queue begin; every build passes, and publishes its commit, unless `outcome` says otherwise. */
  start(outcome?: (build: Build) => BuildOutcome | undefined): Promise<void>;
  /** Returns all builds, oldest first. */
  builds(): Promise<readonly Build[]>;
}

/** Where calls come from. */
export const SOURCE = '192.0.2.1';

/** Creates the setup; it stops with the test. */
export function createWebhookSetup(t: ExecutionContext, project: Project): WebhookSetup {
  const folder = mkdtempSync(join(tmpdir(), 'docbuild-webhooks-'));
  const store = createSlowStore([project]);
  const clock = { ms: Date.parse('2026-03-01T00:00:00Z') };
  let decide: (build: Build) => BuildOutcome | undefined = () => undefined;
  const queue = createBuildQueue({
    store,
    logs: createBuildLogs(createLogFiles(folder)),
    places: () => ({ concurrency: 1, quick: 0, quickMs: 5_000 }),
    run: async (build) => decide(build) ?? pass(build, (await store.projects.find(project.name))!),
    onWarning: (message) => t.fail(message),
    onError: (error) => t.fail(String(error)),
    now: () => new Date(clock.ms),
  });
  const context = createWebhookContext({
    store,
    queue,
    guesses: createSecretGuesses(() => new Date(clock.ms)),
    isExcluded: isRefExcluded,
    now: () => new Date(clock.ms),
  });
  t.teardown(async () => {
    await queue.stop();
    rmSync(folder, { recursive: true });
  });
  return {
    context,
    store,
    queue,
    clock,
    send: async (call) =>
      handleWebhook({ source: SOURCE, project: (await store.projects.find(project.name))!, ...call }, context),
    async start(outcome) {
      if (outcome) decide = outcome;
      await queue.start();
    },
    builds: async () => [...(await store.builds.list({ project: project.name, limit: 1000 }))].reverse(),
  };
}

function pass({ ref, commit, kind }: Build, { versions }: Project): BuildOutcome {
  const others = versions.filter((version) => version.ref !== ref);
  const built = { ref, kind: 'branch' as const, oid: commit, builtAt: '2026-03-01T00:00:00.000Z' };
  return createOutcome({ versions: kind === 'remove' ? others : [...others, built] });
}
