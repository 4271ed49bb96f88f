import { isUtf8 } from 'node:buffer';
import { basename, extname } from 'node:path';
import { contentType } from 'mime-types';

const PLAIN = 'text/plain; charset=utf-8';
const UNKNOWN = 'application/octet-stream';

/** Source code that the registry of media types takes for something else (MPEG streams, resource lists). */
const OTHER_MEANING = new Set(['.ts', '.mts', '.cts', '.rs']);
const COMPRESSIBLE =
  /^(?:text\/|application\/(?:.*\+)?(?:json|xml|javascript|wasm|rtf|sql|toml|yaml|x-sh|vnd\.ms-fontobject)\b|image\/(?:.*\+xml|bmp|x-icon|vnd\.microsoft\.icon)\b|font\/(?:ttf|otf|collection)\b)/;

/** Returns the media type for a file's name, with a charset for text; undefined where the name says nothing. */
export function findContentType(path: string): string | undefined {
  const extension = extname(basename(path)).toLowerCase();
  if (OTHER_MEANING.has(extension)) return PLAIN;
  return extension === '' ? undefined : contentType(extension) || undefined;
}

/** Returns the media type of a file whose name says nothing: text where it reads as such. */
export function guessContentType(body: Buffer | undefined): string {
  return body && isUtf8(body) && !body.includes(0) ? PLAIN : UNKNOWN;
}

/** Checks whether bodies of a media type usually become smaller. */
export function isCompressible(type: string): boolean {
  return COMPRESSIBLE.test(type);
}
