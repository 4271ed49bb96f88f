import type { Command } from 'commander';
import { DataError } from '../data/data-error.ts';
import { printFailure } from './print-failure.ts';
import { addCommonOptions, type CommonFlags, printResult, withConfig } from './run-command.ts';

/** Adds `docbuild cfg`, which shows what is configured, defaults included. */
export function addCfgCommand(program: Command): void {
  addCommonOptions(program.command('cfg'))
    .description('show the configuration, a section of it, or a key')
    .argument('[section]')
    .argument('[key]')
    .option('-j', 'the same as --json')
    .action((section: string | undefined, key: string | undefined, flags: CommonFlags & { readonly j?: boolean }) => {
      const asked = { ...flags, json: flags.json ?? flags.j ?? false };
      return withConfig(asked, async ({ config }) => {
        const { hideSecrets } = await import('../platform/config/secret-keys.ts');
        // Nor are they shown to the operator's terminal: it may be recorded.
        let value: unknown = hideSecrets(config);
        for (const name of [section, key].filter((part) => part !== undefined)) {
          if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
            const asPath = [section, key].filter(Boolean).join('.');
            printFailure(new DataError('invalid', `The configuration has no key "${asPath}"`), asked.json);
            // The command is wrong, not the configuration.
            process.exitCode = 2;
            return;
          }
          value = (value as Record<string, unknown>)[name];
        }
        const { stringify } = await import('yaml');
        printResult(asked, value ?? null, typeof value === 'object' ? stringify(value).trimEnd() : String(value ?? ''));
      });
    });
}
