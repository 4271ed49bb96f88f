import { z } from 'zod';

/** Names that are words of the service's own addresses. */
const RESERVED = new Set('desc badge build builds webhook github assets www docs api control openservice'.split(' '));

/** Tells whether no project can have this name, since it is such a word. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}

/** A project's name, lower-cased: `^[a-z][0-9a-z_-]{1,100}$`, no word of the service's own addresses. */
export const projectName = z
  .string()
  .transform((name) => name.toLowerCase())
  .refine((name) => /^[a-z][0-9a-z_-]{1,100}$/.test(name), {
    message: 'must begin with a letter and have 2 to 101 letters, digits, "_" and "-"',
  })
  .refine((name) => !isReservedName(name), { message: "is a word of the service's own addresses; choose another" });

const line = (most: number) =>
  z
    .string()
    .trim()
    .max(most, `must not have more than ${most} characters`)
    .refine((text) => !/[\p{Cc}]/u.test(text), { message: 'must be one line without control characters' });

/** http(s) address of a repository, perhaps with credentials, or the absolute path of one on this machine. */
const url = line(2000).refine((text) => isRepository(text), {
  message: 'must be an http or https address, or the absolute path of a repository',
});
const refName = line(255);
const sourceDir = line(500)
  .transform((path) => path.replace(/^(?:\.?\/+)+|\/+$/g, ''))
  .refine((path) => !path.split('/').includes('..'), { message: 'must not lead out of the repository' });
const languages = z
  .array(line(100).refine(isLanguage, { message: 'must be language codes such as "en" or "zh_CN"' }))
  .max(100, 'must not name more than 100 languages')
  .refine((codes) => new Set(codes.map((code) => code.toLowerCase())).size === codes.length, {
    message: 'must not name a language twice',
  });
const domain = line(253)
  .transform((text) => text.toLowerCase())
  .refine((text) => text === '' || isDomain(text), { message: 'must be a host name such as docs.example.org' });
const meta = z
  .record(z.string().regex(/^[a-z_][0-9a-z_]{0,63}$/i, 'must have names of letters, digits and "_"'), line(2000))
  .refine((map) => Object.keys(map).length <= 50, { message: 'must not have more than 50 entries' });

/** What may be set of a project, by field; values in, checked values out. */
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
  meta,
} as const;

function isRepository(text: string): boolean {
  if (/^https?:\/\//i.test(text))
    return URL.canParse(text) && new URL(text).hostname !== '' && new URL(text).hash === '';
  return text.startsWith('/');
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
