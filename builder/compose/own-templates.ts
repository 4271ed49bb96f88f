import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuildError } from '../build-error.ts';

/** Templates of an operator by name: they take the place of docbuild's own, which `docbuild/NAME` still means. */
export type OwnTemplates = Readonly<Record<string, string>>;

/** Names that may be overridden; the others are part of how pages work. */
export const OVERRIDABLE = ['page.njk', 'head.njk', 'header.njk', 'footer.njk', 'home.njk', 'not-found.njk'] as const;

const MAX_TEMPLATE_LENGTH = 100_000;

/** Reads the templates in a folder of whoever runs docbuild, never one of a repository. Throws `bad-option`. */
export function readOwnTemplates(folder: string): OwnTemplates {
  const names: readonly string[] = OVERRIDABLE;
  try {
    const found = readdirSync(folder).filter((name) => name.endsWith('.njk'));
    const unknown = found.find((name) => !names.includes(name));
    if (unknown !== undefined) {
      throw new BuildError('bad-option', `"${unknown}" is not one of ${names.join(', ')}`);
    }
    if (found.length === 0) throw new BuildError('bad-option', `The folder has none of ${names.join(', ')}`);
    return Object.fromEntries(found.sort().map((name) => [name, readTemplate(join(folder, name))]));
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw new BuildError('bad-option', `It must be a folder of templates: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function readTemplate(path: string): string {
  const text = readFileSync(path, 'utf8');
  if (text.length <= MAX_TEMPLATE_LENGTH) return text;
  throw new BuildError('bad-option', `Template "${path}" has more than ${MAX_TEMPLATE_LENGTH} characters`);
}
