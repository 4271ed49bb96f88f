import type { LoadedConfig } from '../platform/config/read-config.ts';
import type { Operations } from '../platform/operations/operations.ts';
import { commandActor, connectControl, socketPath } from './control-socket.ts';

export type { Operations } from '../platform/operations/operations.ts';
export type { NewProject } from '../platform/operations/projects.ts';
export { isServerGone } from './control-socket.ts';

/** The operations, until `close`. */
interface OpenOperations {
  readonly operations: Operations;
  /** Whether a server runs them. */
  readonly isServer: boolean;
  close(): Promise<void>;
}

/**
 * Returns the operations: of the server that runs on this `base_dir`, else of this process, which then owns it until `close`.
 */
export async function openOperations(
  loaded: LoadedConfig,
  onWarning: (message: string) => void,
): Promise<OpenOperations> {
  const path = socketPath(loaded.baseDir);
  const remote = await connectControl(path);
  if (remote) return { operations: remote, isServer: true, close: async () => {} };
  // Most of what the platform is made of takes longer to load than to ask a server.
  const [{ openPlatform }, { waitForOwner }, { createSettings }] = await Promise.all([
    import('./open-platform.ts'),
    import('./wait-for-owner.ts'),
    import('../platform/config/settings.ts'),
  ]);
  const { api } = loaded.config;
  const origin = `http://${api.host}:${api.port}`;
  const settings = createSettings(loaded.config);
  const onError = (error: unknown): void => onWarning(String(error));
  const owner = await waitForOwner(
    async () => {
      // Whoever owns the store may be a server that has just started.
      const server = await connectControl(path);
      return server ?? (await openPlatform(loaded, settings, { origin, onWarning, onError }));
    },
    { onWait: onWarning },
  );
  if (!('platform' in owner)) return { operations: owner, isServer: true, close: async () => {} };
  const opened = owner;
  const operations = opened.platform.operationsFor(commandActor());
  // Builds begin only for a command that waits for one: others leave the queue to the server.
  const waitForBuild: Operations['waitForBuild'] = async (input) => {
    await opened.queue.start();
    return operations.waitForBuild(input);
  };
  return { operations: { ...operations, waitForBuild }, isServer: false, close: () => opened.close() };
}
