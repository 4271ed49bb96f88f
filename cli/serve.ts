import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { addServerFlags, endOnSignal, listen, openBrowser, type ServerFlags } from './local-server.ts';
import { exitCodeOf, printFailure } from './print-failure.ts';

/** Adds `docbuild serve`: a look at what `docbuild site` has written. */
export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('look at a site that docbuild has written, as readers will get it')
    .argument('<folder>', 'folder of the site, that of `docbuild site --out`');
  addServerFlags(command).action(runServe);
}

async function runServe(place: string, flags: ServerFlags): Promise<void> {
  try {
    const { locateSite } = await import('../platform/sites/folder-sites.ts');
    const { startFolderServer } = await import('../api/sites/folder-server.ts');
    const folder = locateSite(place);
    const basePath = await readBasePath(folder);
    const server = await listen(flags, (at) => startFolderServer({ folder, basePath, ...at }));
    process.stdout.write(`${place} at ${server.url} (Ctrl-C ends it)\n`);
    endOnSignal(() => server.close());
    if (flags.open) await openBrowser(server.url, (line) => process.stderr.write(`${line}\n`));
  } catch (error) {
    printFailure(error, false);
    process.exit(exitCodeOf(error));
  }
}

/** Returns the path for which a site was built, as `findBasePath` does. */
async function readBasePath(folder: string): Promise<string> {
  const { findBasePath } = await import('../builder/index.ts');
  try {
    return findBasePath(readFileSync(join(folder, 'robots.txt'), 'utf8'));
  } catch {
    // A site for a part of a host has none.
    return '';
  }
}
