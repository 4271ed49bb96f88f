import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { DataError } from '../data/data-error.ts';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

const MAX_BYTES = 20_000_000;

/** Adds `docbuild image` and its command. */
export function addImageCommands(program: Command): void {
  const image = program.command('image').description('the archive of daily images');
  addCommonOptions(image.command('import'))
    .description('import images from a file: a JSON array or JSON Lines, with date, urlbase, title and copyright')
    .argument('<file>')
    .option('--replace', 'replace the images of days that have one')
    .action((file: string, flags: CommonFlags & { readonly replace?: boolean }) =>
      withOperations(flags, async (operations) => {
        const text = readArchive(file);
        const imported = await operations.importImages({ text, isReplacing: flags.replace ?? false });
        const { added, replaced, kept, unchanged, tooEarly } = imported;
        const lines = [`Added ${added}, replaced ${replaced}, unchanged ${unchanged}`];
        if (kept > 0) lines.push(`Days with another image, which was kept: ${kept}; --replace replaces it`);
        if (tooEarly > 0) lines.push(`Images from before the first day, which were left out: ${tooEarly}`);
        printResult(flags, imported, lines.join('\n'));
      }),
    );
}

function readArchive(file: string): string {
  try {
    if (statSync(file).size > MAX_BYTES) {
      throw new DataError('invalid', `File "${file}" has more than ${MAX_BYTES} bytes`);
    }
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof DataError) throw cause;
    throw new DataError('invalid', `Cannot read "${file}": ${(cause as Error).message}`, { cause });
  }
}
