/** The parts of a URL: the path as it is on disk, and what follows it. */
export interface SplitUrl {
  /** Percent-decoded, and in Unicode's composed form, as are the paths of files. */
  readonly path: string;
  /** `?query` as written, or ''. */
  readonly query: string;
  /** Percent-decoded fragment without `#` and without directive; undefined = none. */
  readonly fragment: string | undefined;
  /** `:~:text=…` as written (WICG Text Fragments), or ''. */
  readonly directive: string;
}

/** Parses a URL without scheme and host. Percent signs that encode nothing are kept as they are. */
export function splitUrl(url: string): SplitUrl {
  const hash = url.indexOf('#');
  const beforeHash = hash < 0 ? url : url.slice(0, hash);
  const mark = beforeHash.indexOf('?');
  const afterHash = hash < 0 ? undefined : url.slice(hash + 1);
  const [fragment] = afterHash?.split(':~:', 1) ?? [];
  return {
    path: decode(mark < 0 ? beforeHash : beforeHash.slice(0, mark)).normalize('NFC'),
    query: mark < 0 ? '' : beforeHash.slice(mark),
    fragment: fragment === undefined ? undefined : decode(fragment),
    directive: afterHash?.slice(fragment!.length) ?? '',
  };
}

/**
 * Returns where a relative path leads from a folder (`a/b/`), both from the repository's root; a final `/` stays.
 * Undefined when it points outside the repository.
 */
export function joinPath(folder: string, path: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${folder}${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  const isFolder = /(?:^|\/)\.{0,2}$/.test(path) && parts.length > 0;
  return parts.join('/') + (isFolder ? '/' : '');
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
