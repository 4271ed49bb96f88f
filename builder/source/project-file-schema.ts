import * as z from 'zod';
import { HOST_PATTERN } from './allowed-host.ts';
import { isLanguageCode, type LocalText } from './language-tag.ts';

/** One entry of the author's navigation: a page, a link, or a titled group. */
export interface NavEntry {
  readonly title: LocalText | undefined;
  /** Path of a page below the language's folder, perhaps with an anchor, or an absolute URL. */
  readonly path: string | undefined;
  readonly children: readonly NavEntry[];
  /** A folder whose pages are listed here, below the language's folder; '.' = all. */
  readonly folder?: string | undefined;
  /** Whether the group is closed at first. */
  readonly collapsed?: boolean | undefined;
  /** In the project file, from 1; see `parseProjectFile`. */
  readonly line?: number | undefined;
}

const text = z.string().trim().min(1, 'must not be empty').max(500, 'must not have more than 500 characters');
const languageCode = z
  .string()
  .max(100)
  .refine(isLanguageCode, { message: 'is not a language code such as "en" or "zh_CN"' });

const localText = z.union(
  [
    text,
    z
      .record(languageCode, text)
      .refine((texts) => Object.keys(texts).length > 0, 'must have a text for at least one language'),
  ],
  'must be a text, or texts by language',
);

/** Accepts `a.md`, `{Title: a.md}`, `{Title: [ … ]}`, `{folder: a}` and `{title, path, children, collapsed}`. */
const navEntry: z.ZodType<NavEntry> = z.lazy(() =>
  z.union(
    [
      text.transform((path) => ({ title: undefined, path, children: [] })),
      z
        .strictObject({
          title: localText.optional(),
          path: text.optional(),
          children: z.array(navEntry).optional(),
          folder: text.optional(),
          collapsed: z.boolean().optional(),
        })
        .refine(({ folder, ...rest }) =>
          folder === undefined ? rest.title !== undefined || rest.path !== undefined : Object.keys(rest).length === 0,
        )
        .transform(({ title, path, children, ...more }) => ({ title, path, children: children ?? [], ...more })),
      z
        .record(text, z.union([text, z.array(navEntry)], 'must be a page or a list of pages'))
        .refine((entry) => Object.keys(entry).length === 1 && !('children' in entry || 'folder' in entry))
        .transform((entry) => {
          const [title, value] = Object.entries(entry)[0]!;
          return typeof value === 'string'
            ? { title, path: value, children: [] }
            : { title, path: undefined, children: value };
        }),
    ],
    'must be a page, a title with its page, or a title with a list of pages',
  ),
);

/** A CSS colour in one of the forms that need no escaping: `#0a7`, `#00aa77`, `teal`, `rgb(0 170 119)`. */
const colour = z
  .string()
  .regex(
    /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]{3,30}|(?:rgb|hsl|oklch|lab|lch)\([0-9a-z.,%/ +-]{1,60}\))$/i,
    {
      message: 'must be a CSS colour such as "#3b82f6"',
    },
  );

/** Most links of the header, and of each of its menus. */
export const MAX_LINKS = 20;
export const MAX_MENU_LINKS = 30;

/** A link of the header, or a menu of links. */
export interface ThemeLink {
  readonly title: LocalText;
  /** A page or file, a path from the site's root that begins with a language, or an absolute URL. */
  readonly url?: string | undefined;
  /** Name of a code host. */
  readonly icon?: string | undefined;
  readonly links?: readonly ThemeLink[] | undefined;
}

const linkKeys = { title: localText, icon: text.optional() };
const themeLink: z.ZodType<ThemeLink> = z
  .strictObject({
    ...linkKeys,
    url: text.optional(),
    links: z
      .array(z.strictObject({ ...linkKeys, url: text }))
      .max(MAX_MENU_LINKS, `must not have more than ${MAX_MENU_LINKS} links`)
      .optional(),
  })
  .refine(({ url, links }) => (url === undefined) !== (links === undefined), 'must have either "url" or "links"');

/** Most rules for the names of versions, and most `*` of one. */
const MAX_RULES = 100;
const MAX_STARS = 5;
const hasFewStars = (pattern: string): boolean => pattern.split('*').length <= MAX_STARS + 1;

const refList = z
  .union([text, z.array(text)], 'must be a name or glob, or a list of them')
  .transform((value) => (Array.isArray(value) ? value.join('|') : value));

/** The schema of `.docbuild.yml`; unknown keys are errors. */
export const projectFileSchema = z.strictObject({
  title: text.optional(),
  sourceDir: z
    .string()
    .max(500, 'must not have more than 500 characters')
    .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'must be a path inside the repository')
    .transform((path) => path.replace(/^\.\/|\/+$/g, ''))
    .optional(),
  lang: z
    .union(
      [
        z.array(z.string()),
        z
          .string()
          .max(1000)
          .transform((list) => list.split(',').map((code) => code.trim())),
      ],
      'must be a list of language codes',
    )
    .pipe(
      z.array(languageCode).min(1, 'must name at least one language').max(100, 'must not name more than 100 languages'),
    )
    .optional(),
  announcement: z
    .union(
      [text.transform((line) => ({ text: line })), z.strictObject({ text, url: text.optional() })],
      'must be a line of text, or a text with the URL it links to',
    )
    .optional(),
  allowedHosts: z
    .array(text.toLowerCase().regex(HOST_PATTERN, 'is not a host such as "fonts.example.com"'))
    .max(100, 'must not name more than 100 hosts')
    .optional(),
  lastUpdated: z.boolean().optional(),
  latest: text.optional(),
  single: z.boolean().optional(),
  nav: z.array(navEntry).max(5000).optional(),
  refs: refList.optional(),
  excluded: refList.optional(),
  slug: z
    .record(text.refine(hasFewStars, { message: `must not have more than ${MAX_STARS} "*"` }), text)
    .refine((rules) => Object.keys(rules).length <= MAX_RULES, `must not have more than ${MAX_RULES} rules`)
    .transform((rules) => Object.entries(rules).map(([pattern, name]) => ({ pattern, name })))
    .optional(),
  redirects: z.record(text, text).optional(),
  theme: z
    .strictObject({
      accent: colour.optional(),
      logo: text.optional(),
      logoDark: text.optional(),
      favicon: text.optional(),
      image: text.optional(),
      styles: text.optional(),
      links: z.array(themeLink).max(MAX_LINKS).optional(),
      footer: text.optional(),
      feedback: text
        .regex(
          /^(?:event$|(?:https?:\/\/[^/]|mailto:).*\{answer\})/,
          'must be "event", or an http, https or mailto URL with {answer} in it',
        )
        .optional(),
    })
    .optional(),
  markdown: z
    .strictObject({
      math: z.boolean().optional(),
      mermaid: z.boolean().optional(),
      emoji: z.boolean().optional(),
      html: z.enum(['raw', 'safe'], 'must be "raw" or "safe"').optional(),
    })
    .optional(),
});

/** The content of `.docbuild.yml`; missing keys are undefined. */
export interface ProjectFile extends z.output<typeof projectFileSchema> {
  /** Lines of `redirects`, by their keys. */
  readonly redirectLines?: Readonly<Record<string, number>>;
}
