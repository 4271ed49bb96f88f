import { constants, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import {
  BuildError,
  buildSite,
  createStageLines,
  formatBuildError,
  inspectRepository,
  type Ref,
} from '../../builder/index.ts';
import type { BuildOrder, BuildReport, InspectionOrder } from './build-processes.ts';

/**
 * Runs in its own process: executes builds and inspections one after the other and stays warm in between. It ends with its parent
 * process.
 */
setFlagsFromString('--heap-growing-percent=30');
// Answers take precedence over builds if there are not enough cores for both; new threads inherit this priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
/** Without the parent process, nobody needs the answer. */
const send = (report: BuildReport): void => {
  process.send?.(report, undefined, undefined, (error) => error && process.exit());
};
process.on('disconnect', () => process.exit());
process.on('message', async (order: BuildOrder | InspectionOrder) => {
  if ('inspection' in order) return inspect(order);
  const { options, words } = order;
  let refs: readonly Ref[] = [];
  try {
    const onProgress = createStageLines((line) => send({ kind: 'progress', line }));
    const onPublished = (published: readonly Ref[]) => (refs = published);
    const summary = await buildSite({ ...options, onProgress, onPublished }, words);
    send({ kind: 'done', summary, refs });
  } catch (error) {
    send({ kind: 'failed', message: describe(error) });
  }
});

async function inspect({ inspection }: InspectionOrder): Promise<void> {
  try {
    send({ kind: 'inspected', report: await inspectRepository(inspection) });
  } catch (error) {
    send({ kind: 'failed', message: describe(error), ...(error instanceof BuildError && { code: error.code }) });
  }
}

function describe(error: unknown): string {
  if (error instanceof BuildError) return formatBuildError(error);
  // Standard error is for the server's operator; the message may be public.
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return 'Internal error; the server log has the details';
}
