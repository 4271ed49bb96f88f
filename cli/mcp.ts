import type { Command } from 'commander';
import { exitCodeOf, printFailure } from './print-failure.ts';

/** Adds `docbuild mcp`: documentation for a program on this machine. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description(
      'answer an MCP client, such as an assistant or an editor, from a published site (standard input, output)',
    )
    .argument('<site>', 'folder of a site that docbuild has written, or its address')
    .action(runMcp);
}

async function runMcp(place: string): Promise<void> {
  try {
    const { serveSiteOverStdio } = await import('../platform/mcp/serve-stdio.ts');
    // Standard output is the client's.
    await serveSiteOverStdio(place, (error) => process.stderr.write(`${(error as Error)?.stack ?? error}\n`));
  } catch (error) {
    printFailure(error, false);
    process.exitCode = exitCodeOf(error);
  }
}
