import { DataError } from '../data/data-error.ts';
import { generatePassword } from '../platform/accounts/passwords.ts';

/** A password for a command. */
export interface GivenPassword {
  readonly password: string;
  /** Nobody has chosen it, so it has to be shown. */
  readonly isGenerated: boolean;
}

const MAX_BYTES = 10_000;
const ENTER = /[\r\n]/;

/**
 * Gets a password: from standard input when `fromStdin`, by asking twice without echo on a terminal, else a new one is made.
 * Throws DataError `invalid` for none, for two that differ, and when the question is cancelled.
 */
export async function readPassword(fromStdin: boolean): Promise<GivenPassword> {
  if (fromStdin) return { password: await readStdin('password'), isGenerated: false };
  if (!process.stdin.isTTY) return { password: generatePassword(), isGenerated: true };
  const password = await ask('Password: ');
  if ((await ask('Again: ')) !== password) throw new DataError('invalid', 'The passwords do not match');
  return { password, isGenerated: false };
}

/**
 * Returns standard input without its last line end, as `echo` and editors write it; `what` names it in messages. Throws
 * DataError `invalid` for nothing, and for more than a line or `maxBytes`.
 */
export async function readStdin(what: string, maxBytes = MAX_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new DataError('invalid', `Standard input has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (text === '') throw new DataError('invalid', `Standard input contains no ${what}`);
  if (ENTER.test(text)) throw new DataError('invalid', `Standard input must contain one line, the ${what}`);
  return text;
}

/** Prompts on the terminal without echoing the input. */
function ask(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Before the question, so that nothing typed in answer to it shows.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding('utf8');
  stdin.resume();
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const end = (settle: () => void): void => {
      stdin.off('data', take);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      settle();
    };
    const take = (text: string): void => {
      const characters = [...text];
      for (const [i, character] of characters.entries()) {
        if (character === '\u0003' || character === '\u0004') {
          end(() => reject(new DataError('invalid', 'Cancelled')));
          return;
        }
        if (ENTER.test(character)) {
          // Anything pasted after the line end belongs to the next prompt.
          const rest = characters
            .slice(i + 1)
            .join('')
            .replace(/^\n/, '');
          end(() => resolve(typed.join('')));
          if (rest !== '') stdin.unshift(rest);
          return;
        }
        if (character === '\u007f' || character === '\b') typed.pop();
        else if (character === '\u0015') typed = [];
        else if (typed.length < MAX_BYTES) typed.push(character);
      }
    };
    stdin.on('data', take);
  });
}
