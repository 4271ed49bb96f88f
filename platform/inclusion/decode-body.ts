/** The part of a page that may declare its encoding. */
const HEAD_BYTES = 1024;
const IN_META = /<meta[^<>]{0,200}?charset\s*=\s*(?:["']\s*)?([\w-]{1,40})/i;
const IN_XML = /^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w-]{1,40})/i;

/**
 * Decodes a body by its byte order mark, the header, or the declaration in the page; where these are missing or do not fit,
 * as UTF-8, otherwise as GB 18030, of which GBK is a part.
 */
export function decodeBody(body: Uint8Array, contentType: string): string {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, HEAD_BYTES)).toString('latin1');
  const named = [
    findMark(body),
    /charset\s*=\s*["']?([\w-]{1,40})/i.exec(contentType.slice(0, 500))?.[1],
    IN_XML.exec(head)?.[1] ?? IN_META.exec(head)?.[1],
  ].filter((label) => label !== undefined);
  for (const label of [...named, 'utf-8', 'gb18030']) {
    const text = decodeAs(body, label);
    if (text !== undefined) return text;
  }
  return new TextDecoder(named.find(isKnown) ?? 'utf-8').decode(body);
}

function findMark(body: Uint8Array): string | undefined {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** Returns undefined for an unknown encoding and for bytes that are invalid in it. */
function decodeAs(body: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}
