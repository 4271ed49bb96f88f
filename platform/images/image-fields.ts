import * as z from 'zod';

/** Only the id of an image: no host, no credentials, no line breaks. */
const URLBASE = /^\/th\?id=[\w.-]{1,200}$/;

const text = (most: number) =>
  z
    .string()
    .max(10_000)
    .transform((value) =>
      value
        .replace(/\p{Cc}+/gu, ' ')
        .trim()
        .slice(0, most),
    );

/** Fields of an image besides its day, as the source and files write them. */
export const imageFields = {
  urlbase: z.string('must be a text').regex(URLBASE, 'must be a path such as /th?id=OHR.Name'),
  title: text(500).nullish(),
  copyright: text(2000).nullish(),
} as const;
