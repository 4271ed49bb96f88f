import type { Store } from '../data/store.ts';
import { type Audit, SERVER } from '../platform/audit/audit.ts';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import type { ReplaceableSettings } from '../platform/config/settings.ts';
import { checkAllProjects } from '../platform/projects/project-hosts.ts';

/** The part of a log that is written to. */
interface ReloadLog {
  info(values: object, message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/**
 * Reads the configuration and puts it in the place of the one that counts. Logs what changed and what waits for a restart;
 * for one that cannot be used, logs why (file, line, key) and changes nothing. Logs keys, never values; so does the audit log.
 */
export async function reloadSettings(options: {
  readonly settings: ReplaceableSettings;
  readonly store: Store;
  readonly audit: Audit;
  /** The folder that the process works on. */
  readonly baseDir: string;
  readonly read: () => LoadedConfig;
  readonly log: ReloadLog;
}): Promise<void> {
  const { settings, store, audit, baseDir, read, log } = options;
  const event = { actor: SERVER, action: 'reloadConfiguration' };
  let next: LoadedConfig;
  let warnings: readonly string[];
  try {
    next = read();
    warnings = await checkAllProjects(store, next.config);
  } catch (error) {
    log.error(`${(error as Error).message}; the configuration was not changed`);
    return audit.add(event, 'failed');
  }
  const { changed, waiting, overridden } = settings.replace(next.config);
  const isMoved = next.baseDir !== baseDir && !waiting.includes('base_dir');
  for (const key of isMoved ? [...waiting, 'base_dir'] : waiting) {
    log.warn(`Key "${key}" of the configuration has changed; the new value takes effect after a restart`);
  }
  for (const key of overridden)
    log.warn(`Key "${key}" of the configuration has changed; the limit set in the console holds`);
  for (const warning of warnings) log.warn(warning);
  log.info({ file: next.file, changed }, 'configuration reloaded');
  await audit.add({ ...event, details: [...changed, ...waiting.map((key) => `${key} (after a restart)`)].join(', ') });
}
