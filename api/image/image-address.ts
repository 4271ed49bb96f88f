import type { Image } from '../../data/records/image.ts';

/** Sizes of pictures, as they are asked for. */
export const SIZES = ['720p', '1080p', '4k'] as const;
export type Size = (typeof SIZES)[number];

const DESKTOP: Readonly<Record<Size, string>> = {
  '720p': '_1280x720.jpg',
  '1080p': '_1920x1080.jpg',
  '4k': '_UHD.jpg',
};
const MOBILE: Readonly<Record<Exclude<Size, '4k'>, string>> = { '720p': '_720x1280.jpg', '1080p': '_1080x1920.jpg' };

/** What a picture is asked for as; there is none of 4k for mobile devices. */
export type Format =
  | { readonly isMobile: false; readonly size: Size }
  | { readonly isMobile: true; readonly size: Exclude<Size, '4k'> };

/** Returns the address of a picture below `baseUrl`, which has no final slash. */
export function imageAddress(baseUrl: string, { urlbase }: Pick<Image, 'urlbase'>, format: Format): string {
  return baseUrl + urlbase + (format.isMobile ? MOBILE[format.size] : DESKTOP[format.size]);
}
