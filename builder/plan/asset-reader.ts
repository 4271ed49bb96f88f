import { formatBytes } from '../../lib/format-bytes.ts';
import { escapeHtml } from '../../lib/html-text.ts';
import { throwAt } from '../build-error.ts';
import type { BuildLimits } from '../build-limits.ts';
import { type Cache, defineCacheKind } from '../cache/cache.ts';
import type { DocumentType } from '../markdown/html/open-document.ts';
import type { LinkSlot, ObjectReader, WarningCode } from '../model.ts';
import { describeLimit } from '../option-marks.ts';
import { isLfsPointer } from '../source/text/decode-text.ts';
import { type ImageSize, readImageSize } from './image-size.ts';

/** Returns a URL in the form in which it replaces a slot. */
export function writeSlot({ kind }: LinkSlot, url: string): string {
  if (kind !== 'style') return url;
  // In a string of CSS, in a style sheet as well as in an attribute of HTML.
  return url.replace(/["'\\()&<>\s\p{Cc}]/gu, (sign) => `\\${sign.codePointAt(0)!.toString(16)} `);
}

/** Fills the slots of a fragment's HTML with URLs; see `Fragment`. A link without a URL becomes its text. */
export function fillSlots(html: string, urls: readonly string[]): string {
  const parts = html.split('\0');
  let filled = parts[0]!;
  let isUnlinked = false;
  for (let i = 1; i + 1 < parts.length; i += 2) {
    const url = urls[Number(parts[i])] ?? '';
    let rest = parts[i + 1]!;
    const tag = url === '' && filled.endsWith('href="') ? filled.lastIndexOf('<a ') : -1;
    if (tag >= 0) {
      filled = filled.slice(0, tag);
      rest = rest.slice(rest.indexOf('>') + 1);
      isUnlinked = true;
    }
    // Links contain no links: the next end is that of the one whose start was removed.
    if (isUnlinked && rest.includes('</a>')) {
      rest = rest.replace('</a>', '');
      isUnlinked = false;
    }
    filled += escapeHtml(url) + rest;
  }
  return filled;
}

export interface AssetProblem {
  readonly code: WarningCode;
  readonly message: string;
}

/** Facts about a file that pages refer to, by its bytes and its ending. */
export interface Asset {
  readonly problem: AssetProblem | undefined;
  /** Whether the file is published in spite of the problem. */
  readonly travels: boolean;
  readonly size?: ImageSize;
  /** References of a style sheet, a drawing or a page of HTML itself. */
  readonly references: readonly LinkSlot[];
}

export interface AssetReader {
  /** Inspects a file's bytes, once in the lifetime of the cache. */
  inspect(file: string, oid: string): Promise<Asset>;
  /** Returns the file with other URLs, one for each of its references. */
  rewrite(file: string, oid: string, urls: readonly string[]): Promise<Uint8Array>;
}

const ASSET = defineCacheKind<Asset>('asset-facts', {
  maxWeight: 100_000,
  weigh: ({ references }) => references.length + 1,
});

export function createAssetReader(options: {
  readonly reader: ObjectReader;
  readonly cache: Cache;
  readonly limits: Pick<BuildLimits, 'maxFileBytes' | 'maxPageBytes'>;
}): AssetReader {
  const { reader, cache } = options;
  const { maxFileBytes, maxPageBytes } = options.limits;
  return {
    inspect(file, oid) {
      const type = findDocumentType(file);
      const ending = /\.\w{1,8}$/.exec(file)?.[0].toLowerCase() ?? '';
      const parts = [String(maxFileBytes), String(maxPageBytes), ending, oid];
      return cache.memo(ASSET, parts, () => read(file, oid, type)).catch((error) => throwAt(error, { file }));
    },
    async rewrite(file, oid, urls) {
      const { openDocument } = await loadScanner();
      const { text, encoding } = decode(await reader.readBlob(oid));
      const document = openDocument(text, findDocumentType(file)!);
      const written = document.references.map((reference, at) => writeSlot(reference, urls[at]!));
      return Buffer.from(fillSlots(document.text, written), encoding);
    },
  };

  async function read(file: string, oid: string, type: DocumentType | undefined): Promise<Asset> {
    const bytes = await reader.readBlob(oid);
    const size = await readImageSize(file, bytes);
    const asset = { problem: undefined, travels: true, references: [], ...(size && { size }) };
    if (isLfsPointer(bytes)) return { ...asset, problem: LFS_POINTER, travels: false };
    if (bytes.length > maxFileBytes) {
      const message = `Skipped: larger than ${describeLimit('maxFileBytes', maxFileBytes)}`;
      return { ...asset, problem: { code: 'too-large', message }, travels: false };
    }
    if (bytes.length > MAX_PICTURE_BYTES && PICTURE.test(file)) {
      const message = `Picture of ${formatBytes(bytes.length)}: readers load all of it with the page; pictures should have less than 5 MB`;
      return { ...asset, problem: { code: 'large-picture', message } };
    }
    if (type === undefined) return asset;
    if (bytes.length > maxPageBytes) {
      const message = `Published without the files it refers to: larger than ${describeLimit('maxPageBytes', maxPageBytes)}`;
      return { ...asset, problem: { code: 'too-large', message } };
    }
    const { openDocument } = await loadScanner();
    return { ...asset, references: openDocument(decode(bytes).text, type).references };
  }
}

/** A larger picture is published, with a warning: on a phone it takes several seconds. */
const MAX_PICTURE_BYTES = 5_000_000;
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|bmp|tiff?)$/i;

const LFS_POINTER: AssetProblem = {
  code: 'lfs-pointer',
  message: 'Git LFS pointer skipped: the file itself is not in the repository',
};

/** Returns the kind of a file by its name's ending, or undefined if such files are not inspected. */
export function findDocumentType(path: string): DocumentType | undefined {
  const ending = /\.(css|svg|html?|xhtml)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === undefined) return undefined;
  return ending === 'css' || ending === 'svg' ? ending : 'html';
}

/** Loaded when first needed: most builds do not have to inspect any file. */
const loadScanner = () => import('../markdown/html/open-document.ts');

/** Returns a text and a function that restores its bytes. In a text that is not UTF-8, only URLs in ASCII are found. */
function decode(bytes: Uint8Array): { readonly text: string; readonly encoding: 'utf8' | 'latin1' } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), encoding: 'utf8' };
  } catch {
    return { text: Buffer.from(bytes).toString('latin1'), encoding: 'latin1' };
  }
}
