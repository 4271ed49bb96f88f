/** Most parts of a form, files included. */
const MAX_PARTS = 1_000;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const PARAMETER = /;[ \t]*([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;
/** How browsers write what may not stand between quotes. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['%22', '"'],
  ['%0d', '\r'],
  ['%0a', '\n'],
  ['\\"', '"'],
]);

/**
 * Reads a body of `multipart/form-data` (RFC 7578) and gives its fields in order, files left out; text is UTF-8. It takes
 * what clients send: names without quotes (.NET), text before and behind the parts. Throws an error for what is none.
 */
export function parseMultipart(
  bytes: Buffer,
  contentType: string,
): readonly (readonly [name: string, value: string])[] {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new Error('No boundary is named');
  return splitParts(`\r\n${bytes.toString('latin1')}`, `\r\n--${boundary}`).flatMap((part) => {
    // A part without headers begins with the empty line.
    const end = `\r\n${part}`.indexOf('\r\n\r\n');
    if (end === -1) throw new Error('The headers of a part do not end');
    const { name, isFile } = parseHeaders(part.slice(0, Math.max(0, end - 2)));
    return isFile ? [] : [[toText(name), toText(part.slice(end + 2))] as const];
  });
}

/** Gives what stands between delimiters, each of which is a line of its own; the last one ends in two dashes. */
function splitParts(text: string, delimiter: string): readonly string[] {
  const parts: string[] = [];
  let start = -1;
  for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, at + 2)) {
    const rest = text.slice(at + delimiter.length, at + delimiter.length + 100);
    const isEnd = rest.startsWith('--');
    const line = /^[ \t]*\r\n/.exec(rest)?.[0];
    // Another delimiter, which only begins like this one.
    if (!isEnd && line === undefined) continue;
    if (start !== -1) parts.push(text.slice(start, Math.max(start, at)));
    if (isEnd) return parts;
    if (parts.length === MAX_PARTS) throw new Error('There are too many parts');
    start = at + delimiter.length + line!.length;
  }
  throw new Error('It is cut off');
}

function parseHeaders(text: string): { readonly name: string; readonly isFile: boolean } {
  const value = text
    .split('\r\n')
    .map((line) => /^content-disposition[ \t]*:[ \t]*form-data(?=;)(.*)$/i.exec(line)?.[1])
    .find((found) => found !== undefined);
  const parameters = new Map<string, string>();
  for (const [, key, quoted, plain] of (value ?? '').matchAll(PARAMETER)) {
    parameters.set(key!.toLowerCase(), quoted?.replace(/%22|%0d|%0a|\\"/gi, readEscape) ?? plain!);
  }
  const name = parameters.get('name');
  if (name === undefined) throw new Error('A part has no name');
  return { name, isFile: parameters.has('filename') || parameters.has('filename*') };
}

function readEscape(found: string): string {
  return ESCAPES.get(found.toLowerCase())!;
}

function toText(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
