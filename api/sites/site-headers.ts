import type { Coding } from './parse-accept-encoding.ts';

/** Names and values in turn, as `writeHead` takes them. */
export type Headers = readonly string[];

/** Browsers ask each time whether it changed: what a publish replaced is never shown again. */
export const REVALIDATE = 'no-cache';
const FOREVER = 'public, max-age=31536000, immutable';
/** The theme's own files carry a hash of their content; only the engine writes to this folder. */
const HASHED = /^\/_docbuild\/[\w.-]+\.[0-9a-f]{8,64}\.\w+$/;

const COMMON: Headers = ['X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'strict-origin-when-cross-origin'];
/**
 * A page under the host of the API must not act as its visitor. The sandbox gives it an origin of its own: no cookies, no
 * storage, no requests with the visitor's rights; it may read its own files since everybody may.
 */
const SHARED: Headers = [
  ...COMMON,
  'Content-Security-Policy',
  'sandbox allow-scripts allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation',
  'Access-Control-Allow-Origin',
  '*',
];

/** Returns what every answer of a site carries. */
export function commonHeaders(isShared: boolean): Headers {
  return isShared ? SHARED : COMMON;
}

/** Returns how long a file of a site may be kept without asking. */
export function cacheControl(path: string): string {
  return HASHED.test(path) ? FOREVER : REVALIDATE;
}

/** Returns the strong entity tag of a body; each coding has one of its own. */
export function entityTag(hash: string, coding: Coding): string {
  const suffix = coding === 'identity' ? '' : `-${coding}`;
  return `"${hash.slice(0, 32)}${suffix}"`;
}
