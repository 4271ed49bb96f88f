import { z } from 'zod';
import { quoteName } from '../../../lib/quote-name.ts';
import { checkShape } from './check-shape.ts';
import { type PushedRef, parseRef } from './parse-ref.ts';

/** What an event asks for. */
export type Meaning =
  | ({ readonly kind: 'build' /** '' = not known. */; readonly commit: string } & PushedRef)
  | ({ readonly kind: 'remove' } & PushedRef)
  | { readonly kind: 'ping' }
  | { readonly kind: 'ignored'; readonly why: string };

const oid = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i, 'must be a commit id of 40 or 64 hexadecimal digits')
  .toLowerCase();
/** GitHub and Gitee agree on these fields. */
const pushSchema = z.object({
  ref: z.string(),
  after: oid,
  deleted: z.boolean().nullish(),
  head_commit: z.object({ id: oid }).nullish(),
});

/** Reads a push of a branch or tag, also one that creates, forces or deletes it. Throws ApiError 400. */
export function readPush(payload: unknown): Meaning {
  const { ref, after, deleted, head_commit } = checkShape(pushSchema, payload, 'push');
  const pushed = parseRef(ref);
  if (!pushed) return { kind: 'ignored', why: `ref ${quoteName(ref)} is neither a branch nor a tag` };
  if (deleted === true || /^0+$/.test(after)) return { kind: 'remove', ...pushed };
  // Of an annotated tag `after` names the tag, `head_commit` the commit it leads to, which is what gets built.
  const commit = pushed.refKind === 'tag' ? (head_commit?.id ?? after) : after;
  return { kind: 'build', commit, ...pushed };
}
