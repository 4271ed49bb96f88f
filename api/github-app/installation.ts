import { z } from 'zod';

/** An installation of the App on an account: what calls are made as. */
export const installationSchema = z.object({
  id: z.int().positive(),
  permissions: z.record(z.string(), z.string()).nullish(),
});
export type Installation = z.infer<typeof installationSchema>;

/** Tells whether the owner of the account let the App write something (`statuses`, `repository_hooks`). */
export function mayWrite({ permissions }: Installation, what: string): boolean {
  return permissions !== null && permissions !== undefined && Object.hasOwn(permissions, what)
    ? permissions[what] === 'write' || permissions[what] === 'admin'
    : false;
}
