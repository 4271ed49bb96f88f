import type { BuildOrder, BuildProcesses, ProcessOutcome } from './build-processes.ts';

/** Pages that may end the process of a build, before the build fails. */
const MAX_FATAL = 3;

/**
 * Runs a build, and once more without a page with which its process ended, so that all others are published; with `isPatient`, not
 * after a crash, which may not be the page's fault.
 */
export async function runWithoutFatalPages(
  processes: Pick<BuildProcesses, 'run'>,
  order: BuildOrder,
  context: Parameters<BuildProcesses['run']>[1] & { readonly isPatient?: boolean },
): Promise<Exclude<ProcessOutcome, { kind: 'fatal-page' }>> {
  for (const fatalPages: string[] = []; ; ) {
    const outcome = await processes.run(
      { ...order, options: { ...order.options, fatalPages: [...fatalPages] } },
      context,
    );
    if (outcome.kind !== 'fatal-page') return outcome;
    const { page, ...end } = outcome;
    const isPatient = end.isCrash === true && context.isPatient === true;
    if (isPatient || fatalPages.length >= MAX_FATAL || fatalPages.includes(page)) return { ...end, kind: 'failed' };
    context.onProgress(`${end.message}. The build begins again without this page`);
    fatalPages.push(page);
  }
}
