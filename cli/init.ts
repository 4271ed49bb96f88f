import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { DataError } from '../data/data-error.ts';
import { printFailure } from './print-failure.ts';
import { addCommonOptions, type CommonFlags, printResult } from './run-command.ts';

const TEMPLATE = `# Configuration of docbuild. Every key may be left out; "docbuild cfg" shows what then counts.
base_dir: ./.docbuild            # store/, repos/, cache/, sites/, logs/
timezone: UTC
api:
  host: 127.0.0.1
  port: 5000
  base_url:                      # each address may be set to separate it from the others
  hub_url:
  auth_url:
  docs_api_url:
  server_static_url:             # where pages find docbuild.js, e.g. at a CDN
  trusted_proxies: 0
docs:
  domain:                        # <project>.<domain> serves the project
builds:
  concurrency:                   # default: one less than the cores
  timeout_s: 600
  max_fetch_mb: 500
  max_files: 50000
  max_output_mb: 1000
auth:
  registration: false
  token_days: 30
`;

/** Adds `docbuild init`, which writes a configuration to begin with. */
export function addInitCommand(program: Command): void {
  addCommonOptions(program.command('init'))
    .description('write a configuration file to begin with')
    .action((flags: CommonFlags) => {
      const file = resolve(flags.config ?? 'docbuild.yml');
      try {
        writeFileSync(file, TEMPLATE, { flag: 'wx', mode: 0o600 });
        printResult(flags, { file }, `Wrote ${file}`);
      } catch (cause) {
        const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
        const message = exists
          ? `Configuration "${file}" exists already; it stays as it is`
          : `Cannot write configuration "${file}": ${(cause as Error).message}`;
        printFailure(new DataError(exists ? 'taken' : 'unwritable', message, { cause }), flags.json ?? false);
        process.exitCode = 1;
      }
    });
}
