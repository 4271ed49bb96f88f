import { z } from 'zod';
import { isLanguageCode, type NavEntry } from './project-file.ts';

const text = z.string().trim().min(1).max(500);
const languageCode = z.string().refine(isLanguageCode, { message: 'is not a language code such as "en" or "zh_CN"' });

/** Accepts `a.md`, `{Title: a.md}`, `{Title: [ … ]}` and `{title, path, children}`. */
const navEntry: z.ZodType<NavEntry> = z.lazy(() =>
  z.union([
    text.transform((path) => ({ title: undefined, path, children: [] })),
    z
      .strictObject({ title: text.optional(), path: text.optional(), children: z.array(navEntry).optional() })
      .refine((entry) => entry.title !== undefined || entry.path !== undefined, { message: 'needs a title or a path' })
      .transform(({ title, path, children }) => ({ title, path, children: children ?? [] })),
    z
      .record(text, z.union([text, z.array(navEntry)]))
      .refine((entry) => Object.keys(entry).length === 1, { message: 'must be one title with its page or pages' })
      .transform((entry) => {
        const [title, value] = Object.entries(entry)[0]!;
        return typeof value === 'string'
          ? { title, path: value, children: [] }
          : { title, path: undefined, children: value };
      }),
  ]),
);

/** A colour as CSS writes it, in the forms that need no escaping: `#0a7`, `#00aa77`, `teal`, `rgb(0 170 119)`. */
const colour = z
  .string()
  .regex(/^(?:#[0-9a-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl|oklch|lab|lch)\([0-9a-z.,%/ +-]{1,60}\))$/i, {
    message: 'must be a CSS colour such as "#3b82f6"',
  });

/** The schema of `.docbuild.yml`; unknown keys are errors. */
export const projectFileSchema = z.strictObject({
  title: text.optional(),
  sourceDir: z
    .string()
    .transform((path) => path.replace(/^\.\/|\/+$/g, ''))
    .optional(),
  lang: z
    .union([
      z.array(languageCode).min(1).max(100),
      z.string().transform((list) => list.split(',').map((code) => code.trim())),
    ])
    .pipe(z.array(languageCode))
    .optional(),
  latest: text.optional(),
  single: z.boolean().optional(),
  nav: z.array(navEntry).max(5000).optional(),
  excluded: z
    .union([text, z.array(text)])
    .transform((value) => (Array.isArray(value) ? value.join('|') : value))
    .optional(),
  redirects: z.record(text, text).optional(),
  theme: z
    .strictObject({
      accent: colour.optional(),
      logo: text.optional(),
      links: z
        .array(z.strictObject({ title: text, url: text }))
        .max(20)
        .optional(),
      footer: text.optional(),
    })
    .optional(),
  markdown: z
    .strictObject({
      math: z.boolean().optional(),
      mermaid: z.boolean().optional(),
      emoji: z.boolean().optional(),
      html: z.enum(['raw', 'safe']).optional(),
    })
    .optional(),
});
