import type { CachedFile, FileContent } from './create-file-cache.ts';
import { findContentType, guessContentType, isCompressible } from './find-content-type.ts';
import type { Coding } from './parse-accept-encoding.ts';
import { cacheControl, commonHeaders, entityTag, type Headers, REVALIDATE } from './site-headers.ts';

/** One way in which a body is sent, with everything that stays the same from answer to answer. */
export interface Representation {
  readonly tag: string;
  readonly length: number;
  /** Of an answer with the whole body. */
  readonly headers: Headers;
  readonly notModified: Headers;
  /** The same for the page that says that there is none. */
  readonly notFound: Headers;
  /** Of an answer with part of the body; length and range come on top. */
  readonly partial: Headers;
}

/** A file at a path of a site: what is said of it hangs on its name. */
export interface View {
  readonly file: CachedFile;
  readonly isCompressible: boolean;
  /** Returns the representation with a body of this length. */
  represent(coding: Coding, length: number): Representation;
}

/** Creates the view of a file that has just been read. */
export function createView(
  file: CachedFile,
  { hash, body }: FileContent,
  place: { readonly path: string; readonly isShared: boolean },
): View {
  const type = findContentType(place.path) ?? guessContentType(body);
  const common = commonHeaders(place.isShared);
  const caching = cacheControl(place.path);
  const known: Record<Coding, Representation | undefined> = { br: undefined, gzip: undefined, identity: undefined };
  return {
    file,
    isCompressible: isCompressible(type),
    represent(coding, length) {
      let representation = known[coding];
      if (representation?.length !== length) representation = known[coding] = create(coding, length);
      return representation;
    },
  };

  function create(coding: Coding, length: number): Representation {
    const tag = entityTag(hash, coding);
    const encoding = coding === 'identity' ? [] : ['Content-Encoding', coding];
    const kind = ['Content-Type', type, ...encoding, 'Vary', 'Accept-Encoding'];
    const size = ['Content-Length', String(length)];
    const validators = ['ETag', tag, 'Cache-Control', caching];
    const partial = [...kind, ...validators, 'Accept-Ranges', 'bytes', ...common];
    return {
      tag,
      length,
      headers: [...size, ...partial],
      notModified: [...validators, 'Vary', 'Accept-Encoding', ...common],
      notFound: [...size, ...kind, 'Cache-Control', REVALIDATE, ...common],
      partial,
    };
  }
}
