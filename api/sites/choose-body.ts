import { setTimeout as sleep } from 'node:timers/promises';
import type { Compression } from './compress-body.ts';
import type { FileContent } from './create-file-cache.ts';
import type { View } from './create-view.ts';
import type { ViewLoader } from './create-view-loader.ts';
import { findCompressed } from './find-compressed.ts';
import type { Coding } from './parse-accept-encoding.ts';
import type { Site } from './site.ts';

/** A body in the coding in which it is sent; `bytes` undefined = identity, read from the file. */
export interface ChosenBody {
  readonly coding: Coding;
  readonly bytes: Buffer | undefined;
}

/** Nobody waits longer for a smaller body. */
const MAX_WAIT_MS = 50;
const looking = new WeakMap<FileContent, Map<Compression, Promise<void>>>();

/**
 * Chooses among accepted codings, the best first. Gives `unknown` where it must first be found out whether there is a
 * compressed body (`prepareBody`), `none` where the client accepts nothing that there is.
 */
export function chooseBody(
  view: View,
  content: FileContent,
  codings: readonly Coding[],
): ChosenBody | 'none' | 'unknown' {
  for (const coding of codings) {
    if (coding === 'identity') return { coding, bytes: content.body };
    if (!view.isCompressible) continue;
    const bytes = content.compressed.get(coding);
    if (bytes === undefined) return 'unknown';
    if (bytes !== 'none') return { coding, bytes };
  }
  return 'none';
}

/** Finds or makes the compressed bodies that a choice hangs on, then chooses; what takes too long is left out. */
export async function prepareBody(
  loader: ViewLoader,
  site: Site,
  view: View,
  content: FileContent,
  codings: readonly Coding[],
): Promise<ChosenBody | 'none'> {
  const left = new Set(codings);
  for (const coding of codings) {
    if (coding === 'identity') break;
    if (!view.isCompressible || content.compressed.has(coding)) continue;
    await Promise.race([lookOnce(loader, site, view, content, coding), sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    const found = content.compressed.get(coding);
    if (found === undefined) left.delete(coding);
    else if (found !== 'none') break;
  }
  const chosen = chooseBody(view, content, [...left]);
  if (chosen !== 'none' && chosen !== 'unknown') return chosen;
  return (await forceBody(loader, site, content, codings)) ?? 'none';
}

/** For a client that does not take the plain body: compresses whatever it is, when it is not too large for that. */
async function forceBody(
  loader: ViewLoader,
  site: Site,
  content: FileContent,
  codings: readonly Coding[],
): Promise<ChosenBody | undefined> {
  const coding = codings.find((one): one is Compression => one !== 'identity');
  if (!coding) return undefined;
  const options = { folder: site.compressed, maxBytes: loader.maxBodyBytes, isForced: true };
  const bytes = await findCompressed(content, coding, options);
  return Buffer.isBuffer(bytes) ? { coding, bytes } : undefined;
}

/** Everybody who wants a body compressed waits for the same work. */
function lookOnce(
  loader: ViewLoader,
  site: Site,
  view: View,
  content: FileContent,
  compression: Compression,
): Promise<void> {
  const known = looking.get(content) ?? new Map<Compression, Promise<void>>();
  looking.set(content, known);
  const look = known.get(compression) ?? start();
  known.set(compression, look);
  return look;

  async function start(): Promise<void> {
    const options = { folder: site.compressed, maxBytes: loader.maxBodyBytes, isForced: false };
    const found = await findCompressed(content, compression, options);
    known.delete(compression);
    if (found === undefined || content.compressed.has(compression)) return;
    content.compressed.set(compression, found);
    if (found !== 'none') loader.grow(view, found.length);
  }
}
