import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DataError } from '../../data/data-error.ts';
import type { Config } from './config-schema.ts';
import { parseConfig } from './parse-config.ts';

/** A configuration and where it came from. */
export interface LoadedConfig {
  readonly config: Config;
  /** The file, or undefined when there is none and all is default. */
  readonly file: string | undefined;
  /** `base_dir` as an absolute path. */
  readonly baseDir: string;
}

/** The file's name in the working folder and, with a dot before it, in the home folder. */
export const CONFIG_NAME = 'docbuild.yml';

/**
 * Reads the configuration: the file that is named, else `./docbuild.yml`, else `~/.docbuild.yml`, else defaults. Throws
 * DataError `not-found` for a named file that does not exist, `invalid` for one that cannot be used.
 */
export function readConfig(named: string | undefined, cwd: string): LoadedConfig {
  const candidates =
    named === undefined ? [join(cwd, CONFIG_NAME), join(homedir(), `.${CONFIG_NAME}`)] : [resolve(cwd, named)];
  const file = candidates.find((path) => existsSync(path));
  if (file === undefined && named !== undefined) {
    throw new DataError('not-found', `Configuration "${named}" does not exist; "docbuild init" writes one`);
  }
  const config = parseConfig(file === undefined ? '' : readText(file), file ?? CONFIG_NAME);
  return { config, file, baseDir: resolve(file === undefined ? cwd : dirname(file), config.base_dir) };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DataError('invalid', `Cannot read configuration "${file}": ${(cause as Error).message}`, { cause });
  }
}
