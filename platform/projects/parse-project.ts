import type { z } from 'zod';
import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import { projectFields, projectName } from './project-fields.ts';

/** What may be set of a project. */
export type ProjectSettings = Pick<Project, keyof typeof projectFields>;

const DEFAULTS: Omit<ProjectSettings, 'url'> = {
  latest: '',
  single: false,
  sourceDir: '',
  lang: [],
  secret: '',
  showNav: true,
  hideGit: false,
  domain: '',
  before: '',
  after: '',
  meta: {},
};

/** Gives a project's name as it is kept. Throws DataError `invalid`. */
export function parseProjectName(name: string): string {
  const result = projectName.safeParse(name);
  if (!result.success) throw invalid(`Project name "${shorten(name)}"`, result.error);
  return result.data;
}

/** Checks settings given by field. Throws DataError `invalid` that names the field. */
export function parseSettings(values: Partial<Record<keyof ProjectSettings, unknown>>): Partial<ProjectSettings> {
  const entries = Object.entries(values).map(([field, value]) => {
    const schema = projectFields[field as keyof typeof projectFields];
    const result = schema.safeParse(value);
    if (!result.success) throw invalid(`Field "${field}"`, result.error);
    return [field, result.data];
  });
  return Object.fromEntries(entries) as Partial<ProjectSettings>;
}

/** Gives a new project. Throws DataError `invalid`. */
export function createProject(
  name: string,
  values: Partial<Record<keyof ProjectSettings, unknown>> & { readonly url: string },
  now: Date,
): Project {
  const settings = parseSettings(values) as Partial<ProjectSettings> & Pick<ProjectSettings, 'url'>;
  return { name: parseProjectName(name), ...DEFAULTS, ...settings, createdAt: now.toISOString(), versions: [] };
}

function invalid(what: string, error: z.ZodError): DataError {
  return new DataError('invalid', `${what} ${error.issues[0]!.message.replace(/^Invalid input: /, 'is not right: ')}`);
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
