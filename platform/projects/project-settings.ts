import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { LIMIT_SETTINGS } from '../../builder/index.ts';
import { DataError } from '../../data/data-error.ts';
import { readPollInterval } from '../../data/records/poll.ts';
import type { Project } from '../../data/records/project.ts';
import { complaint, IssuePhrase } from '../../lib/issue-phrase.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { findRefNameProblem } from '../../lib/ref-name.ts';
import { parseRepositoryAddress, suggestUrl } from '../../lib/repository-address.ts';
import { createSigningSecret, isSigningSecret } from '../../lib/standard-webhooks.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { isReservedName } from '../config/service-paths.ts';

const TIMEOUT_RANGE = complaint`must be from 1 to ${LIMIT_SETTINGS.timeoutMs.most} seconds, or 0 for the limit of the server`;
/** Returns a new secret for the notifications of a project. */
export const createNotifySecret = createSigningSecret;

/** Returns whether a name is a reserved one, or looks like one in a link: `docs-`, `api_`. */
function looksReserved(name: string): boolean {
  return isReservedName(trimCharacters(name, '_-'));
}

/** A project's name, lower-cased: `^[a-z][0-9a-z_-]{1,100}$`, no word of the service's own URLs. */
const projectName = z
  .string()
  .transform((name) => name.toLowerCase())
  .refine((name) => /^[a-z][0-9a-z_-]{1,100}$/.test(name), {
    message: complaint`must be 2 to 101 letters, digits, "_" and "-", beginning with a letter`,
  })
  .refine((name) => !looksReserved(name), {
    message: complaint`is reserved for the service's own URLs; choose another`,
  });

const line = (most: number) =>
  z
    .string()
    .trim()
    .max(most, complaint`must not have more than ${most} characters`)
    .refine((text) => !/[\p{Cc}]/u.test(text), { message: complaint`must be one line without control characters` });

/** http(s) URL of a repository, perhaps with credentials, or the absolute path of one on this machine. */
const url = line(2000).refine((text) => isRepository(text), {
  error({ input }) {
    const meant = suggestUrl(String(input));
    return meant === undefined
      ? complaint`must be an http or https URL, or the absolute path of a repository`
      : complaint`must be an http or https URL, or the absolute path of a repository; did you mean "${meant}"?`;
  },
});
const refName = line(255).refine((name) => name === '' || !findRefNameProblem(name), {
  message: complaint`must be a name that git allows for a branch or tag`,
});
const sourceDir = line(500)
  .transform((path) => trimCharacters(path.replace(/^(?:\.?\/)+/, ''), '/'))
  .refine((path) => !path.split('/').includes('..'), { message: complaint`must be inside the repository` });
const languages = z
  .array(line(100).refine(isLanguage, { message: complaint`must be language codes such as "en" or "zh_CN"` }))
  .max(100, complaint`must not name more than 100 languages`)
  .refine((codes) => new Set(codes.map((code) => code.toLowerCase())).size === codes.length, {
    message: complaint`must not name a language twice`,
  });
const domain = line(253)
  .transform((text) => text.toLowerCase())
  .refine((text) => text === '' || isDomain(text), {
    message: complaint`must be a host name such as docs.example.org`,
  });
const timeout = z
  .int('must be a whole number of seconds')
  .min(0, TIMEOUT_RANGE)
  .max(LIMIT_SETTINGS.timeoutMs.most, TIMEOUT_RANGE)
  .default(0);
const notify = line(2000)
  .refine((text) => text === '' || isNotifyUrl(text), {
    message: complaint`must be an http or https URL without credentials such as https://hooks.example.org/docbuild`,
  })
  .default('');
const notifySecret = line(200)
  .refine((text) => text === '' || isSigningSecret(text), {
    message: complaint`must be "whsec_" and 24 to 64 bytes in base64`,
  })
  .default('');
/** A crontab, which `Schedules` reads: what it means depends on the time zone of the server. */
const schedule = line(1000).default('');
/** How often the repository is compared with what is published, see `readPollInterval`. */
const poll = line(20)
  .transform((text) => text.toLowerCase())
  .refine((text) => !Number.isNaN(readPollInterval(text)), {
    message: complaint`must be an interval from "1m" to "30d" such as "5m" or "1h", or "off"; empty for that of the server`,
  })
  .default('');
const meta = z
  .record(
    z.string().regex(/^[a-z_][0-9a-z_]{0,63}$/i, complaint`must have names made of letters, digits and "_"`),
    line(2000),
  )
  .refine((map) => Object.keys(map).length <= 50, { message: complaint`must not have more than 50 entries` });

/** Settings of a project, by field: values in, checked values out. */
export const projectFields = {
  url,
  latest: refName,
  single: z.boolean(),
  sourceDir,
  lang: languages,
  secret: line(500),
  showNav: z.boolean(),
  hideGit: z.boolean(),
  domain,
  before: line(5000),
  after: line(5000),
  timeout,
  notify,
  notifySecret,
  schedule,
  poll,
  meta,
} as const;

/** The settings of a project. */
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
  timeout: 0,
  notify: '',
  notifySecret: '',
  schedule: '',
  poll: '',
  meta: {},
};

/** Returns the names of the settings of a new project that differ from what it has without them. */
export function listChosen(settings: Partial<Record<keyof ProjectSettings, unknown>>): readonly string[] {
  const defaults: Readonly<Record<string, unknown>> = DEFAULTS;
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  return entries.flatMap(([name, value]) => (isDeepStrictEqual(value, defaults[name]) ? [] : [name]));
}

/** Returns whether a new project may have this name. */
export function isProjectName(name: string): boolean {
  return projectName.safeParse(name).success;
}

/** Returns a project's name as it is stored. Throws DataError `invalid`. */
export function parseProjectName(name: string): string {
  const result = projectName.safeParse(name);
  if (!result.success) throw invalid(phrase`Project name "${shorten(name)}"`, result.error);
  return result.data;
}

/** Checks settings by field. Throws DataError `invalid` that names the field. */
export function parseSettings(values: Partial<Record<keyof ProjectSettings, unknown>>): Partial<ProjectSettings> {
  const entries = Object.entries(values).map(([field, value]) => {
    const schema = projectFields[field as keyof typeof projectFields];
    const result = schema.safeParse(value);
    if (!result.success) throw invalid(phrase`Field "${field}"`, result.error);
    return [field, result.data];
  });
  return Object.fromEntries(entries) as Partial<ProjectSettings>;
}

/** Returns a new project. Throws DataError `invalid`. */
export function createProject(
  name: string,
  values: Partial<Record<keyof ProjectSettings, unknown>> & { readonly url: string },
  now: Date,
): Project {
  const settings = parseSettings(values) as Partial<ProjectSettings> & Pick<ProjectSettings, 'url'>;
  return {
    name: parseProjectName(name),
    ...DEFAULTS,
    ...settings,
    createdAt: now.toISOString(),
    versions: [],
    site: undefined,
    failing: [],
    publishedBy: undefined,
    scheduledAt: undefined,
    lastScheduledAt: undefined,
  };
}

/** A change of settings; `meta` entries change one by one, an empty value removes one. */
export interface ProjectChanges {
  readonly settings: Partial<Omit<ProjectSettings, 'meta'>>;
  readonly meta: Readonly<Record<string, string>>;
}

/**
 * Parses changes as the command line writes them: `field:value,field:value` with `separator` between them;
 * `meta:name=value` for one meta entry; `true` and `false` for switches; languages separated by commas or spaces. Text
 * that names no field belongs to the value before it, so that `lang:en,zh_CN` needs no other separator. Throws DataError
 * `invalid`.
 */
export function parseChanges(text: string, separator = ','): ProjectChanges {
  if (separator === '') throw new DataError('invalid', phrase`The separator must not be empty`);
  const settings = new Map<string, unknown>();
  const meta = new Map<string, string>();
  for (const [field, value] of splitPairs(text, separator)) {
    if (field === 'meta') {
      const at = value.indexOf('=');
      if (at < 1) throw new DataError('invalid', phrase`Write "meta:name=value"; "meta:${value}" has no name`);
      const name = value.slice(0, at);
      if (name === '__proto__') throw new DataError('invalid', phrase`A meta field cannot be named "__proto__"`);
      meta.set(name, value.slice(at + 1));
    } else settings.set(field, readValue(field, value));
  }
  const checked = parseSettings({ meta: Object.fromEntries(meta) });
  return { settings: parseSettings(Object.fromEntries(settings)), meta: checked.meta ?? {} };
}

/** Returns a project with changes applied. */
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
      throw new DataError(
        'invalid',
        phrase`Write "field:value"; "${part.slice(0, 100)}" does not begin with a field (${known})`,
      );
    }
  }
  return pairs;
}

function readValue(field: string, value: string): unknown {
  if (field === 'lang') return value.split(/[\s,]+/).filter(Boolean);
  if (field === 'timeout') return Number(value);
  if (field !== 'single' && field !== 'showNav' && field !== 'hideGit') return value;
  if (/^(?:true|yes|on|1)$/i.test(value)) return true;
  if (/^(?:false|no|off|0)$/i.test(value)) return false;
  throw new DataError('invalid', phrase`Field "${field}" must be true or false, not "${value.slice(0, 100)}"`);
}

function invalid(what: Phrase, error: z.ZodError): DataError {
  const issue = error.issues[0]!;
  const why = new IssuePhrase(issue);
  const isOwn = !issue.message.startsWith('Invalid input: ');
  return new DataError('invalid', isOwn ? phrase`${what} ${why}` : phrase`${what} is invalid: ${why}`);
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function isRepository(text: string): boolean {
  const { kind } = parseRepositoryAddress(text);
  return kind === 'http' ? !/#./.test(text) : kind === 'path' && text.startsWith('/');
}

function isNotifyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === '';
}

function isLanguage(code: string): boolean {
  try {
    return new Intl.Locale(code.replaceAll('_', '-')).language !== '';
  } catch {
    return false;
  }
}

function isDomain(text: string): boolean {
  return /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}
