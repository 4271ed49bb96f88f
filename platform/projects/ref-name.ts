import * as z from 'zod';
import { complaint } from '../../lib/issue-phrase.ts';

/** The name of a branch or tag in a request. */
export const refNameSchema = z
  .string()
  .trim()
  .max(255, complaint`must not have more than 255 characters`)
  .refine((name) => !/\p{Cc}/u.test(name), complaint`must not contain control characters`);
