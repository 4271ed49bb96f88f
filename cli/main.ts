import { saveMemory } from '../platform/builds/v8-flags.ts';
import { createProgram } from './create-program.ts';

// On a large machine V8 lets garbage grow to several times what lives; collecting at 1.3 times costs no time that could be
// measured and halves the memory of a large site. A process that ends sooner has little garbage, and starts faster
// without a flag, see `setV8Flags`.
setTimeout(saveMemory, 300).unref();

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough (`docbuild … | head`) is no failure.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Error: Cannot write to standard output: ${error.message}\n`);
  process.exit(1);
});
/** Settles when the command has ended. Exit codes: 0 done, 1 failed, 2 wrong use. */
export const finished = createProgram(process.argv.slice(2), (code) => process.exit(code)).parseAsync();
