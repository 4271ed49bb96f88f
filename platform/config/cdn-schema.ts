import * as z from 'zod';
import { count, networks, signingSecret, text } from './config-values.ts';

/** Name of a header that answers of sites get, or that is sent to a CDN. */
const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
/** Headers that belong to a connection rather than to what is said over it. */
const TRANSPORT_HEADERS = /^(?:connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
const header = (usual: string) => z.string().trim().regex(HEADER, 'must be the name of a header').default(usual);

/** Requests to a CDN in front of the sites, see `fillRequest`. */
export const cdnSchema = z
  .strictObject({
    /** Where a CDN is told what to forget; may have `{tag}` or `{tags}` in its path. '' = it is told nothing. */
    url: z
      .string()
      .trim()
      .max(2000)
      .refine(
        (value) => value === '' || (/^https?:\/\/[^{}/?#]+(?:[/?#]|$)/.test(value) && URL.canParse(value)),
        'must begin with http:// or https:// and a host',
      )
      .refine(
        (value) => !value.includes('@') || new URL(value).username === '',
        'must not have a name or a password: "headers" is for them',
      )
      .default(''),
    method: z
      .string()
      .trim()
      .regex(/^(?!CONNECT$)[A-Z]{3,20}$/, 'must be a method such as POST or PURGE')
      .default('POST'),
    /** Headers of the request, which may have `{tag}` or `{tags}`, too. */
    headers: z
      .record(
        z.string().regex(HEADER, 'must be the name of a header'),
        z.string().regex(/^[\x20-\x7e]{0,4000}$/, 'must be up to 4000 ASCII characters'),
      )
      .refine((headers) => Object.keys(headers).length <= 20, 'must not have more than 20 headers')
      .refine((headers) => !Object.keys(headers).some((name) => TRANSPORT_HEADERS.test(name)), {
        message: 'must not have headers of the connection, such as content-length',
      })
      .default({}),
    /** Body of the request, with `{tag}` or `{tags}`; '' = docbuild's own. */
    body: text,
    /** Signs docbuild's own body (`whsec_…`); '' = unsigned. */
    secret: signingSecret,
    /** When it is told once more, for nodes and answers that are late; 0 = it is not. */
    again_s: count(0, 3_600, 15),
    /** Addresses and ranges that the URL may lead to besides those of the public internet. */
    allowed: networks,
    /** For how long the CDN may keep pages unless it is told; 0 = nothing is said of it. */
    keep_s: count(0, 31_536_000, 86_400),
    age_header: header('CDN-Cache-Control'),
    tag_header: header('Cache-Tag'),
  })
  .prefault({});
