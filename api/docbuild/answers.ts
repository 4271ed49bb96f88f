import { z } from 'zod';

const failureSchema = z.object({ success: z.literal(false), message: z.string() });

/** The schema of a successful answer around `data`. */
export function envelope(data: z.ZodType): z.ZodType {
  return z.object({ success: z.literal(true), message: z.literal(''), data });
}

/** The description of a failing answer. */
export function failure(description: string): { readonly description: string; readonly schema: z.ZodType } {
  return { description, schema: failureSchema };
}
