import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import { type ProjectSettings, parseSettings } from './parse-project.ts';
import { projectFields } from './project-fields.ts';

/** A change of settings; `meta` entries change one by one, an empty value removes one. */
export interface ProjectChanges {
  readonly settings: Partial<Omit<ProjectSettings, 'meta'>>;
  readonly meta: Readonly<Record<string, string>>;
}

/**
 * Reads changes as the command line writes them: `field:value,field:value` with `separator` between them;
 * `meta:name=value` for one meta entry; `true` and `false` for switches; languages separated by commas or spaces. Text
 * that names no field belongs to the value before it, so that `lang:en,zh_CN` needs no other separator. Throws DataError
 * `invalid`.
 */
export function parseChanges(text: string, separator = ','): ProjectChanges {
  if (separator === '') throw new DataError('invalid', 'The separator must not be empty');
  const settings = new Map<string, unknown>();
  const meta = new Map<string, string>();
  for (const [field, value] of splitPairs(text, separator)) {
    if (field === 'meta') {
      const at = value.indexOf('=');
      if (at < 1) throw new DataError('invalid', `Write "meta:name=value"; "meta:${value}" has no name`);
      const name = value.slice(0, at);
      if (name === '__proto__') throw new DataError('invalid', 'A meta field cannot be named "__proto__"');
      meta.set(name, value.slice(at + 1));
    } else settings.set(field, readValue(field, value));
  }
  const checked = parseSettings({ meta: Object.fromEntries(meta) });
  return { settings: parseSettings(Object.fromEntries(settings)), meta: checked.meta ?? {} };
}

/** Gives a project with changes made to it. */
export function applyChanges(project: Project, { settings, meta }: ProjectChanges): Project {
  const merged = Object.entries({ ...project.meta, ...meta }).filter(([, value]) => value !== '');
  return { ...project, ...settings, meta: Object.fromEntries(merged) };
}

function splitPairs(text: string, separator: string): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = [];
  for (const part of text.split(separator)) {
    const at = part.indexOf(':');
    const field = part.slice(0, Math.max(0, at)).trim();
    const last = pairs.at(-1);
    if (at > 0 && Object.hasOwn(projectFields, field)) pairs.push([field, part.slice(at + 1).trim()]);
    else if (last) last[1] += separator + part;
    else {
      const known = Object.keys(projectFields).join(', ');
      throw new DataError('invalid', `Write "field:value"; "${part.slice(0, 100)}" begins with no field (${known})`);
    }
  }
  return pairs;
}

function readValue(field: string, value: string): unknown {
  if (field === 'lang') return value.split(/[\s,]+/).filter(Boolean);
  if (field !== 'single' && field !== 'showNav' && field !== 'hideGit') return value;
  if (/^(?:true|yes|on|1)$/i.test(value)) return true;
  if (/^(?:false|no|off|0)$/i.test(value)) return false;
  throw new DataError('invalid', `Field "${field}" must be true or false, not "${value.slice(0, 100)}"`);
}
