import { basename, extname } from 'node:path';
import { contentType } from 'mime-types';

/** The media type of text. */
export const PLAIN_TEXT = 'text/plain; charset=utf-8';
/** Source code whose extensions mean something else in the registry of media types (MPEG streams, resource lists). */
const OTHER_MEANING = new Set(['.ts', '.mts', '.cts', '.rs']);
const COMPRESSIBLE =
  /^(?:text\/|application\/(?:.*\+)?(?:json|xml|javascript|wasm|rtf|sql|toml|yaml|x-sh|vnd\.ms-fontobject)\b|image\/(?:.*\+xml|bmp|x-icon|vnd\.microsoft\.icon)\b|font\/(?:ttf|otf|collection)\b)/;

/** Finds the media type for a file's name, with a charset for text; undefined where the name does not tell. */
export function findContentType(path: string): string | undefined {
  const extension = extname(basename(path)).toLowerCase();
  if (OTHER_MEANING.has(extension)) return PLAIN_TEXT;
  return extension === '' ? undefined : contentType(extension) || undefined;
}

/** Checks whether compression usually makes bodies of a media type smaller. */
export function isCompressible(type: string): boolean {
  return COMPRESSIBLE.test(type);
}
