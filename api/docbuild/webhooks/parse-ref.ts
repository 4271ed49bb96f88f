import { quoteName } from '../../../lib/quote-name.ts';
import { ApiError } from '../../http/errors.ts';

/** A branch or a tag by its full name, nothing cut at a slash: `feature/x`. */
export interface PushedRef {
  readonly ref: string;
  readonly refKind: 'branch' | 'tag';
}

const MAX_LENGTH = 255;
/** What git allows in no name of a ref (git-check-ref-format), and lone surrogates. */
const FORBIDDEN = /[\p{Cc}\p{Cs} ~^:?*[\\]|\.\.|@\{|\/\/|^[/.-]|[/.]$|\/\.|\.lock(?:\/|$)|^@$|^$/u;

/**
 * Returns the branch or tag of a full ref (`refs/heads/feature/x`); undefined for refs that are neither, such as notes.
 * Throws ApiError 400 for what is no ref.
 */
export function parseRef(full: string): PushedRef | undefined {
  const [, kind, ref] = /^refs\/(heads|tags)\/(.*)$/s.exec(full) ?? [];
  if (kind !== undefined && ref !== undefined) {
    return { ref: checkRefName(ref), refKind: kind === 'tags' ? 'tag' : 'branch' };
  }
  if (/^refs\/./.test(full)) return undefined;
  throw new ApiError(400, 'bad-ref', `Cannot read ref ${quoteName(full)}: it does not begin with "refs/"`);
}

/** Returns the name of a branch or tag. Throws ApiError 400 for one that git forbids, or too long, or an option. */
export function checkRefName(name: string): string {
  if (name.length > MAX_LENGTH) {
    const message = `Cannot use ref ${quoteName(name)}: it has more than ${MAX_LENGTH} characters`;
    throw new ApiError(400, 'bad-ref', message);
  }
  if (FORBIDDEN.test(name)) {
    throw new ApiError(
      400,
      'bad-ref',
      `Cannot use ref ${quoteName(name)}: this is not a valid name of a branch or tag`,
    );
  }
  return name;
}
