import * as z from 'zod';
import { networks, signingSecret } from './config-values.ts';

/** Events, which whoever runs the service wants to hear of. */
export const eventsSchema = z
  .strictObject({
    /** Where they are sent; '' = nowhere. */
    url: z
      .string()
      .trim()
      .max(2000)
      .refine((value) => value === '' || (/^https?:\/\//.test(value) && URL.canParse(value)), {
        message: 'must begin with http:// or https:// and a host',
        abort: true,
      })
      .refine((value) => value === '' || new URL(value).username === '', 'must not have a name or a password')
      .default(''),
    /** Signs them (`whsec_…`): none is sent without. */
    secret: signingSecret,
    /** Addresses and ranges that the URL may lead to besides those of the public internet. */
    allowed: networks,
  })
  .refine(({ url, secret }) => url === '' || secret !== '', {
    message: 'is needed with "events.url": whsec_ and what "openssl rand -base64 32" makes',
    path: ['secret'],
  })
  .prefault({});
