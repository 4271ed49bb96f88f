import * as z from 'zod';
import { parseNetwork } from '../../lib/ip-address.ts';
import { isSigningSecret } from '../../lib/standard-webhooks.ts';

/** Any text, '' where nothing is set. */
export const text = z.string().trim().max(10_000).default('');
/** A whole number from `least` to `most`, `usual` where nothing is set. */
export const count = (least: number, most: number, usual: number) =>
  z
    .int(`must be a whole number from ${least} to ${most}`)
    .min(least, `must be a whole number from ${least} to ${most}`)
    .max(most, `must be a whole number from ${least} to ${most}`)
    .default(usual);
/** Addresses and ranges of addresses. */
export const networks = z
  .array(
    z
      .string()
      .refine((one) => parseNetwork(one.trim()), 'must be an address or range such as 203.0.113.7 or 2001:db8::/32'),
  )
  .max(1000, 'must not name more than 1000 addresses')
  .default([]);
/** Secret that signs what is sent (`whsec_…`); '' = none. */
export const signingSecret = z
  .string()
  .trim()
  .refine(
    (value) => value === '' || isSigningSecret(value),
    'must be whsec_ and 24 to 64 bytes in base64, which "openssl rand -base64 32" makes',
  )
  .default('');
