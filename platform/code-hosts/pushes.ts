import { quoteName } from '../../lib/quote-name.ts';
import { findRefNameProblem } from '../../lib/ref-name.ts';
import { type Payload, type PushedRef, WebhookError, type WebhookMeaning, type Zod } from './code-host.ts';

/** Id of a commit or tag object, in lower case. */
export const objectId = (z: Zod) =>
  z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i, 'must be a commit id of 40 or 64 hexadecimal digits')
    .toLowerCase();
const pushShape = (z: Zod) =>
  z.object({
    ref: z.string(),
    after: objectId(z),
    deleted: z.boolean().nullish(),
    head_commit: z.object({ id: objectId(z) }).nullish(),
  });
/** Fields that `readPush` and `isTestPush` look at. */
export const PUSH_FIELDS = ['ref', 'before', 'after', 'deleted', 'head_commit'] as const;

/**
 * Reads a push of a branch or tag, also one that creates, forces or deletes it, in the shape that GitHub gave it and
 * others took over. Throws WebhookError.
 */
export function readPush(payload: Payload): WebhookMeaning {
  const { ref, after, deleted, head_commit } = payload.take(pushShape, 'push');
  return describePush({ ref, after: deleted === true ? '' : after, tagCommit: head_commit?.id });
}

/**
 * Returns what a push requests. `after` is the object that the ref leads to, '' or zeros for one that was deleted;
 * `tagCommit` the commit that an annotated tag leads to. Throws WebhookError `bad-ref`.
 */
export function describePush({
  ref,
  after,
  tagCommit,
}: {
  readonly ref: string;
  readonly after: string;
  readonly tagCommit: string | undefined;
}): WebhookMeaning {
  const pushed = parseRef(ref);
  if (!pushed) return { kind: 'ignored', why: `ref ${quoteName(ref)} is neither a branch nor a tag` };
  if (/^0*$/.test(after)) return { kind: 'remove', ...pushed };
  // Of an annotated tag `after` names the tag; its commit is what gets built.
  return { kind: 'build', commit: pushed.refKind === 'tag' ? (tagCommit ?? after) : after, ...pushed };
}

/** Tells a test delivery, which looks like a push, from a push: nothing changed. */
export function isTestPush({ json: { before, after } }: Payload): boolean {
  return typeof before === 'string' && before === after;
}

/** Returns the answer to an event that nothing is done for. */
export function ignoreEvent(event: string): WebhookMeaning {
  return { kind: 'ignored', why: `event ${quoteName(event)} builds nothing` };
}

/**
 * Returns the branch or tag of a full ref (`refs/heads/feature/x`); undefined for refs that are neither, such as notes.
 * Throws WebhookError `bad-ref` for what is no ref.
 */
function parseRef(full: string): PushedRef | undefined {
  const [, kind, ref] = /^refs\/(heads|tags)\/(.*)$/s.exec(full) ?? [];
  if (kind !== undefined && ref !== undefined) {
    return { ref: checkRefName(ref), refKind: kind === 'tags' ? 'tag' : 'branch' };
  }
  if (/^refs\/./.test(full)) return undefined;
  throw new WebhookError('bad-ref', `Cannot read ref ${quoteName(full)}: it does not begin with "refs/"`);
}

/** Returns the name of a branch or tag. Throws WebhookError `bad-ref`, see `findRefNameProblem`. */
export function checkRefName(name: string): string {
  const problem = findRefNameProblem(name);
  if (problem) throw new WebhookError('bad-ref', String(problem));
  return name;
}

/** The fields of a push that all code hosts send, as an example. */
export const EXAMPLE_PUSH = {
  ref: 'refs/heads/main',
  before: '95790bf891e76fee5e1747ab589903a6a1f80f22',
  after: '6dcb09b5b57875f334f61aebed695e2e4193db5e',
} as const;
