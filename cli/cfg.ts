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

/** Keys are never shown, not to the operator's terminal either: it may be recorded. */
function hideSecrets<T extends { cdn: { headers: object }; github_app: object; metrics: object; store: string }>(
  config: T,
): T {
  const hide = (section: object, secrets: readonly string[]): object =>
    Object.fromEntries(
      Object.entries(section).map(([key, value]) => [key, secrets.includes(key) && value !== '' ? '(set)' : value]),
    );
  const { cdn, github_app, metrics, store } = config;
  return {
    ...config,
    // A password in the URL, wherever it ends: in it every character may be found.
    store: store.replace(/^(\w+:\/\/[^:@]*):.*@/, '$1:(set)@').replace(/([?&]\w*password=)[^&]*/gi, '$1(set)'),
    github_app: hide(github_app, ['private_key', 'webhook_secret']),
    metrics: hide(metrics, ['key']),
    // Any header may be the one with the key.
    cdn: { ...hide(cdn, ['secret']), headers: hide(cdn.headers, Object.keys(cdn.headers)) },
  };
}
