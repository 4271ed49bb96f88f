import type { LoadedConfig } from '../data/config/read-config.ts';
import type { ReplaceableSettings } from '../data/config/settings.ts';

/** The part of a log that is written to. */
interface ReloadLog {
  info(values: object, message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/**
 * Reads the configuration and puts it in the place of the one that counts. Logs what changed and what waits for a restart;
 * for one that cannot be used, logs why (file, line, key) and changes nothing. Logs keys, never values.
 */
export function reloadSettings(options: {
  readonly settings: ReplaceableSettings;
  /** The folder that the process works on. */
  readonly baseDir: string;
  readonly read: () => LoadedConfig;
  readonly log: ReloadLog;
}): void {
  const { settings, baseDir, read, log } = options;
  let next: LoadedConfig;
  try {
    next = read();
  } catch (error) {
    log.error(`${(error as Error).message}; the configuration stays as it was`);
    return;
  }
  const { changed, waiting } = settings.replace(next.config);
  const isMoved = next.baseDir !== baseDir && !waiting.includes('base_dir');
  for (const key of isMoved ? [...waiting, 'base_dir'] : waiting) {
    log.warn(`Key "${key}" of the configuration has changed; the new value counts after a restart`);
  }
  log.info({ file: next.file, changed }, 'configuration reloaded');
}
