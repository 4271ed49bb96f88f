import { hash } from 'node:crypto';

/** Returns the key of something that is determined by these parts alone: 40 hex digits. */
export function contentKey(...parts: readonly (string | Uint8Array)[]): string {
  return contentKeyOf(parts);
}

/** As `contentKey`, for any number of parts: more than some 120,000 arguments exceed the stack. */
export function contentKeyOf(parts: readonly (string | Uint8Array)[]): string {
  return hash('sha1', joinParts(parts), 'hex');
}

/** Returns one text for parts, another one for any others. */
export function joinParts(parts: readonly (string | Uint8Array)[]): string {
  let text = '';
  for (const part of parts) {
    // The length in front keeps ("ab", "c") and ("a", "bc") apart.
    text += typeof part === 'string' ? `${part.length}:${part}` : `#${hash('sha1', part, 'hex')}`;
  }
  return text;
}
