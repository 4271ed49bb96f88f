import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuildError } from '../../build-error.ts';
import { isAbsent } from '../objects/object-folders.ts';

/** The relevant part of a repository's configuration. */
export interface RepositorySettings {
  /** Address of the remote `origin`; may hold credentials. */
  readonly origin: string | undefined;
  /** Objects may be missing because the clone left them out. */
  readonly isPartial: boolean;
}

/** Reads a repository's configuration file. Throws `BuildError` for repositories of a format that cannot be read. */
export function readRepositorySettings(label: string, gitFolder: string): RepositorySettings {
  const values = parseConfig(readText(join(gitFolder, 'config')));
  const format = values.get('extensions.objectformat') ?? 'sha1';
  if (format.toLowerCase() !== 'sha1') {
    throw new BuildError('not-a-repository', `Cannot open "${label}": its object format ${format} is not supported`);
  }
  const storage = values.get('extensions.refstorage') ?? 'files';
  if (storage.toLowerCase() !== 'files') {
    throw new BuildError(
      'not-a-repository',
      `Cannot open "${label}": its ref format ${storage} is not supported; convert it with git refs migrate --ref-format=files`,
    );
  }
  const isPartial =
    values.has('extensions.partialclone') || /^(?:true|yes|on|1)$/i.test(values.get('remote.origin.promisor') ?? '');
  return { origin: values.get('remote.origin.url'), isPartial };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}

/**
 * Returns the values of a configuration file by `section.key` or `section.subsection.key`: sections and keys in lower
 * case, of several values the last. Invalid lines are skipped, and other files are not included. Format: git's
 * Documentation/config, "Syntax".
 */
export function parseConfig(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let prefix = '';
  // A backslash at its end continues a line.
  for (const line of text
    .replace(/\r\n/g, '\n')
    .replace(/((?:^|[^\\])(?:\\\\)*)\\\n/g, '$1')
    .split('\n')) {
    const [header, section, subsection] = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line) ?? [];
    if (section !== undefined) {
      const name = subsection === undefined ? '' : `.${subsection.replace(/\\(.)/g, '$1')}`;
      prefix = `${section.toLowerCase()}${name}.`;
    }
    const [, key, value] = /^\s*([a-z][\w-]*)\s*(?:=(.*))?/i.exec(line.slice(header?.length ?? 0)) ?? [];
    if (key !== undefined) values.set(prefix + key.toLowerCase(), value === undefined ? 'true' : parseValue(value));
  }
  return values;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** Returns a value without its quotes and comment; blanks at its ends count only in quotes. */
function parseValue(text: string): string {
  let value = '';
  let kept = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '#' || character === ';')) break;
    else if (character === '\\') {
      at += 1;
      value += ESCAPES[text[at] ?? ''] ?? text[at] ?? '';
    } else if (isQuoted || value !== '' || !/\s/.test(character)) value += character;
    if (isQuoted || !/\s/.test(character)) kept = value.length;
  }
  return value.slice(0, kept);
}
