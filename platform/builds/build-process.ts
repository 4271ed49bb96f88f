import { constants, setPriority } from 'node:os';
import {
  BuildError,
  buildSite,
  createStageLines,
  formatBuildError,
  inspectRepository,
  type Progress,
  type Ref,
} from '../../builder/index.ts';
import { endWithParent } from '../../lib/end-with-parent.ts';
import { describeSystemError, findMachineError } from '../../lib/system-error.ts';
import { notedStep, noteStep, noteWorkIn } from '../../lib/work-note.ts';
import type { BuildOrder, BuildReport, InspectionOrder, PublishAnswer } from './build-processes.ts';
import { UNANSWERED, WORK_NOTE } from './process-end.ts';
import { saveMemory, watchBuild } from './v8-flags.ts';
import { codeOf } from './whose-fault.ts';

/**
 * Runs in its own process: executes builds and inspections one after the other and stays warm in between. It ends with its parent
 * process.
 */
saveMemory();
// A page that takes long must not outlive a server that was killed.
endWithParent();
noteWorkIn(WORK_NOTE);
// Answers take precedence over builds if there are not enough cores for both; new threads inherit this priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
/** When an answer is late, ms: sooner than a node that has just asked the database may be taken for dead. */
const LATE_MS = 3_000;
/** How long an answer is waited for, ms. */
const NO_ANSWER_MS = 15_000;
/** Without the parent process, nobody needs the answer. */
const send = (report: BuildReport): void => {
  process.send?.(report, undefined, undefined, (error) => error && process.exit());
};
process.on('disconnect', () => process.exit());
/** Called with the answer to `askToPublish`. */
let mayPublish = (): void => {};
process.on('message', async (order: BuildOrder | InspectionOrder | PublishAnswer) => {
  if ('mayPublish' in order) return mayPublish();
  if ('inspection' in order) return inspect(order);
  const { options, words, isAsking } = order;
  // The last build may have been a large one.
  saveMemory();
  let refs: readonly Ref[] = [];
  try {
    const showProgress = createStageLines((line) => send({ kind: 'progress', line }));
    const onProgress = (progress: Progress): void => {
      watchBuild(progress);
      showProgress(progress);
    };
    const onPublished = (published: readonly Ref[]) => (refs = published);
    const beforePublish = isAsking ? askToPublish : undefined;
    // The log is public, and the message names a folder of this machine.
    const onCacheFailure = ({ code = 'unknown' }: NodeJS.ErrnoException): void =>
      send({ kind: 'progress', line: `Cannot keep for the next build what this one has rendered (${code})` });
    const summary = await buildSite(
      { ...options, preparesNext: true, onProgress, onCacheFailure, beforePublish, onPublished },
      words,
    );
    send({ kind: 'done', summary, refs });
  } catch (error) {
    send(describeFailure(error));
  } finally {
    noteStep('');
  }
});

/**
 * Asks whether this build may publish: while its node was not heard of, others may have begun it again. An answer that comes
 * late counts for nothing, since a node is not taken for dead so soon; without any, what the build holds is given free.
 */
async function askToPublish(): Promise<void> {
  for (;;) {
    const start = performance.now();
    const timer = setTimeout(() => process.exit(UNANSWERED), NO_ANSWER_MS);
    await new Promise<void>((resolve) => {
      mayPublish = resolve;
      send({ kind: 'publish' });
    });
    clearTimeout(timer);
    if (performance.now() < start + LATE_MS) return;
  }
}

async function inspect({ inspection }: InspectionOrder): Promise<void> {
  try {
    send({ kind: 'inspected', report: await inspectRepository(inspection) });
  } catch (error) {
    send(describeFailure(error));
  }
}

function describeFailure(error: unknown): BuildReport {
  const code = codeOf(error);
  if (error instanceof BuildError) return { kind: 'failed', message: formatBuildError(error), code };
  // Standard error is for the server's operator; the message may be public.
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  const refused = findMachineError(error);
  if (refused)
    return { kind: 'failed', message: `The server cannot build at present: ${describeSystemError(refused)}`, code };
  const step = notedStep();
  const where = step === '' ? '' : ` at the step "${step}"`;
  const message = `docbuild failed${where}, for a fault of its own or of the server and not of the repository; try again, and report it with the lines of the server log if it fails again`;
  return { kind: 'failed', message };
}
