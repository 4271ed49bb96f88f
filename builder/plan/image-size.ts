import { scanTag } from '../markdown/html/scan-tag.ts';

/** The size of an image in CSS pixels, as browsers show it by default. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
  /** Only their proportion counts: the drawing has no size and fills its place. */
  readonly isProportion?: true;
}

/** The size stands near the beginning of a file, in JPEG behind the metadata of a camera. */
const MAX_HEADER_BYTES = 1_000_000;
/** Length limit of the opening tag of a drawing, and of what stands before it. */
const MAX_SVG_HEADER = 20_000;
const RASTER = new Set(['png', 'jpg', 'gif', 'webp']);

/** Reads the size of an image from its bytes; undefined for other formats and damaged files. */
export async function readImageSize(file: string, bytes: Uint8Array): Promise<ImageSize | undefined> {
  const ending = /\.(png|jpe?g|gif|webp|svg)$/i.exec(file)?.[1]?.toLowerCase();
  if (ending === undefined) return undefined;
  if (ending === 'svg') return readDrawingSize(bytes);
  const { disableTypes, imageSize, types } = await import('image-size');
  disableTypes(types.filter((type) => !RASTER.has(type)));
  try {
    const { width, height, orientation = 1 } = imageSize(bytes.subarray(0, MAX_HEADER_BYTES));
    // From 5 on, a photograph lies on its side.
    return checkSize(orientation < 5 ? { width, height } : { width: height, height: width });
  } catch {
    return undefined;
  }
}

function readDrawingSize(bytes: Uint8Array): ImageSize | undefined {
  const text = Buffer.from(bytes.subarray(0, MAX_SVG_HEADER)).toString('latin1');
  const start = /<svg[\s>]/i.exec(text)?.index;
  const tag = start === undefined ? undefined : scanTag(text, start, text.length);
  if (typeof tag !== 'object') return undefined;
  const read = (name: string): string =>
    tag.attributes.find((attribute) => attribute.name.toLowerCase() === name)?.value ?? '';
  const [width, height] = ['width', 'height'].map((name) =>
    Number(/^\s*(\d{1,5}(?:\.\d+)?)(?:px)?\s*$/.exec(read(name))?.[1] ?? Number.NaN),
  ) as [number, number];
  const size = checkSize({ width: Math.round(width), height: Math.round(height) });
  if (size || read('width') !== '' || read('height') !== '') return size;
  const box = read('viewbox')
    .trim()
    .split(/[\s,]+/, 4)
    .map(Number);
  const shape = checkSize({ width: Math.round(box[2]! * PRECISION), height: Math.round(box[3]! * PRECISION) });
  return shape && { ...shape, isProportion: true };
}

/** A proportion is kept in whole numbers. */
const PRECISION = 10;

function checkSize({ width, height }: ImageSize): ImageSize | undefined {
  const isSize = (pixels: number): boolean => Number.isInteger(pixels) && pixels > 0 && pixels < 100_000;
  return isSize(width) && isSize(height) ? { width, height } : undefined;
}

/** An image in the HTML of a fragment; signs in quotes do not end it. */
const IMAGE = /<img\b(?:[^<>"']|"[^"]*"|'[^']*')*>/gi;

/**
 * Writes the sizes of images into the HTML of a fragment with open slots, so that text below does not move when they appear.
 * `sizes` are by number of the slot of `src`. What an author says about size counts: of a width alone the height follows.
 */
export function writeImageSizes(html: string, sizes: ReadonlyMap<number, ImageSize>): string {
  if (sizes.size === 0) return html;
  return html.replace(IMAGE, (tag) => {
    const source = /\ssrc=(["'])\0(\d+)\0\1/i.exec(tag);
    const size = source ? sizes.get(Number(source[2])) : undefined;
    const [style = ''] = /\sstyle\s*=.*/is.exec(tag) ?? [];
    if (!source || !size || /\sheight\s*=/i.test(tag) || /width|height/i.test(style)) return tag;
    const own = /\swidth\s*=\s*["']?([^"'\s>]*)/i.exec(tag)?.[1];
    const end = source.index + source[0].length;
    if (own === undefined) {
      return `${tag.slice(0, end)} width="${size.width}" height="${size.height}"${tag.slice(end)}`;
    }
    if (!/^[1-9]\d{0,4}$/.test(own)) return tag;
    const height = Math.max(1, Math.round((Number(own) * size.height) / size.width));
    return `${tag.slice(0, end)} height="${height}"${tag.slice(end)}`;
  });
}
