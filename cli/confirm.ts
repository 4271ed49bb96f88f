import { createInterface } from 'node:readline/promises';
import { DataError } from '../data/data-error.ts';

/** Returns whether somebody sits at a terminal and can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks a question at the terminal; only yes is yes. Throws DataError `invalid` when it is left without an answer. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<never>((_, reject) => {
      const cancel = (): void => reject(new DataError('invalid', 'Cancelled'));
      lines.once('SIGINT', cancel).once('close', cancel);
    });
    return /^y(?:es)?$/i.test((await Promise.race([lines.question(`${question} [y/N] `), ended])).trim());
  } finally {
    lines.close();
  }
}
