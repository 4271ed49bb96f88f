import { BuildError, formatBuildError } from '../builder/index.ts';
import { DataError } from '../data/data-error.ts';
import { createPaint } from './color.ts';

/** Returns the exit code for a failure: 2 where what was typed cannot be used, as for unknown options, otherwise 1. */
export function exitCodeOf(error: unknown): 1 | 2 {
  const isTyped =
    (error instanceof DataError && error.code === 'invalid') ||
    (error instanceof BuildError && error.code === 'bad-option');
  return isTyped ? 2 : 1;
}

/** Prints why a command failed: on standard error as text, or on standard output as one JSON object. */
export function printFailure(error: unknown, json: boolean): void {
  if (error instanceof DataError) {
    if (json) printJson({ code: error.code, message: error.message });
    else printError(error.message);
    return;
  }
  if (!(error instanceof BuildError)) {
    // Not the user's mistake: the stack is what a report needs.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (json) printJson({ code: 'internal', message: error instanceof Error ? error.message : String(error) });
    process.stderr.write(`docbuild failed unexpectedly; please report this:\n${text}\n`);
    return;
  }
  if (json) printJson({ code: error.code, message: error.message, ...error.location });
  else printError(formatBuildError(error));
}

function printError(message: string): void {
  process.stderr.write(`${createPaint(process.stderr)(['bold', 'red'], 'Error:')} ${message}\n`);
}

function printJson(error: object): void {
  process.stdout.write(`${JSON.stringify({ error })}\n`);
}
