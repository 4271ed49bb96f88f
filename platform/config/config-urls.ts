import * as z from 'zod';
import { trimCharacters } from '../../lib/trim-characters.ts';

/** An absolute http(s) URL without query and fragment, final slashes dropped; '' = not set. */
export const origin = z
  .string()
  .trim()
  .max(2000)
  .refine((value) => value === '' || isHttpUrl(value), 'must be an http or https URL such as https://docs.example.org')
  .transform((value) => trimCharacters(value, '/'))
  .default('');
/** The same without a path: a process that answers for several hosts cannot know a path that a proxy removed. */
export const serviceAddress = origin
  .unwrap()
  .refine(
    (value) => value === '' || new URL(value).pathname === '/',
    'must be a URL without a path, such as https://docs.example.org',
  )
  .default('');
/** Where the service has docbuild.js, and a CDN in front of it, too. */
const SCRIPT_PATH = '/docbuild/assets/docbuild.js';
/** The address of docbuild.js, or the origin that has it at the service's own path. */
export const scriptAddress = origin
  .unwrap()
  .transform((value) => (value !== '' && new URL(value).pathname === '/' ? value + SCRIPT_PATH : value))
  .refine(
    (value) => value === '' || /\/[^/]+\.js$/.test(new URL(value).pathname),
    'must be the URL of docbuild.js, such as https://cdn.example.org/docbuild.js, or an origin such as https://cdn.example.org',
  )
  .default('');

function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, search, hash, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '' && password === '';
}
