import * as z from 'zod';

/** The name of a branch or tag in a request. */
export const refNameSchema = z
  .string()
  .trim()
  .max(255, 'must not have more than 255 characters')
  .refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters');
