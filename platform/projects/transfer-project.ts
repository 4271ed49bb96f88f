import * as z from 'zod';
import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import { createProject, type ProjectSettings, projectFields } from './project-settings.ts';

const PREFIX = 'docbuild-project-1.';
/** Longest text that is parsed. */
const MAX_LENGTH = 100_000;
const shape = z.strictObject({ name: z.string(), ...projectFields });

/** Returns a project's settings as one word of text, which holds the secret and the credentials. */
export function exportProject(project: Project): string {
  const settings = Object.keys(projectFields).map((field) => [field, project[field as keyof ProjectSettings]]);
  const json = JSON.stringify({ name: project.name, ...Object.fromEntries(settings) });
  return PREFIX + Buffer.from(json).toString('base64url');
}

/** Parses what `exportProject` returned, under another name if one is given. Throws DataError `invalid`. */
export function importProject(text: string, newName: string | undefined, now: Date): Project {
  const word = text.trim();
  if (!word.startsWith(PREFIX) || word.length > MAX_LENGTH) {
    throw new DataError('invalid', `The text is not an exported project, which begins with "${PREFIX}"`);
  }
  const { name, ...settings } = readShape(word.slice(PREFIX.length));
  return createProject(newName ?? name, settings, now);
}

function readShape(base64: string): z.infer<typeof shape> {
  try {
    return shape.parse(JSON.parse(Buffer.from(base64, 'base64url').toString('utf8')));
  } catch (cause) {
    throw new DataError('invalid', 'The exported project is damaged; export it again', { cause });
  }
}
