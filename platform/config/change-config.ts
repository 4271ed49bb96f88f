import { readFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMap, parseDocument, YAMLMap } from 'yaml';
import { DataError } from '../../data/data-error.ts';
import { writeDurably } from '../../lib/durable-file.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import { phrase } from '../../lib/phrase.ts';
import { type Config, configSchema } from './config-schema.ts';
import { parseConfig } from './read-config.ts';
import { nestNumber, pickValue } from './settings.ts';

/** One change after the other: each begins with what the one before has written. */
const changes = createKeyedQueue();
let usual: Config | undefined;

/** Returns the number that a key has where the configuration says nothing; undefined where it is left open. */
export function readDefault(key: string): number | undefined {
  usual ??= configSchema.parse({});
  return pickValue(usual, key);
}

/** Throws DataError `invalid` for numbers, by their keys, that no configuration can have. */
export function checkNumbers(values: ReadonlyMap<string, number>): void {
  for (const [key, value] of values) {
    const { error } = configSchema.safeParse(nestNumber(key, value));
    const [issue] = error?.issues ?? [];
    if (issue === undefined) continue;
    const complaint = issue.message.replace(/^Invalid input: /, '');
    throw new DataError('invalid', phrase`Cannot set a limit: key "${key}": ${complaint}`);
  }
}

/**
 * Writes numbers, by their keys (`builds.quick`), into a configuration file, where comments and everything else stay as they
 * are; undefined takes a key out. Returns what the file says then. The file as it was stays as `<file>.bak`. Throws
 * DataError `invalid` for a value that the configuration does not accept, with nothing changed, and `unwritable`.
 */
export function changeConfig(file: string, values: ReadonlyMap<string, number | undefined>): Promise<Config> {
  return changes.run(file, async () => {
    const before = readText(file);
    const document = parseDocument(before, { prettyErrors: false, logLevel: 'error' });
    // Faults that it has already are reported as where it is read.
    parseConfig(before, file);
    // A file with nothing but comments.
    if (!isMap(document.contents)) document.contents = new YAMLMap() as unknown as typeof document.contents;
    for (const [key, value] of values) {
      const path = key.split('.');
      for (let depth = 1; depth < path.length; depth++) {
        // `limits:` without anything below it.
        const at = path.slice(0, depth);
        if (document.hasIn(at) && !isMap(document.getIn(at, true))) document.setIn(at, document.createNode({}));
      }
      if (value !== undefined) document.setIn(path, value);
      else if (document.hasIn(path)) document.deleteIn(path);
    }
    const text = document.toString({ lineWidth: 0 });
    const config = parseConfig(text, file);
    if (text !== before) await write(file, text);
    return config;
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DataError('unwritable', phrase`Cannot read the configuration "${file}": ${(cause as Error).message}`, {
      cause,
    });
  }
}

async function write(file: string, text: string): Promise<void> {
  try {
    const { mode } = await stat(file);
    const folder = await open(dirname(file), 'r');
    try {
      await writeDurably(file, [Buffer.from(text)], { folder, beforeSwitch() {}, mode: mode & 0o777 });
    } finally {
      await folder.close();
    }
  } catch (cause) {
    throw new DataError(
      'unwritable',
      phrase`Cannot write the configuration "${file}" (${(cause as Error).message}); set the limit there by hand, and send the server SIGHUP`,
      { cause },
    );
  }
}
