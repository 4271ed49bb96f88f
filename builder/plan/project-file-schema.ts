import * as z from 'zod';
import { COMPONENT_NAME } from '../extension.ts';
import { BUILT_IN } from '../extensions/built-in.ts';
import { isLanguageCode, type LocalText } from '../language-tag.ts';
import { NETWORKS, type Network } from './theme/social.ts';

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

const MAX_TEXT = 500;
const TEXT_TOO_LONG = `must not have more than ${MAX_TEXT} characters`;
const text = z.string().trim().min(1, 'must not be empty').max(MAX_TEXT, TEXT_TOO_LONG);
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

const A_COLOUR = 'must be an opaque CSS colour such as "#3b82f6"';
const HEX_COLOUR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
/** The library that knows colours is loaded where a project has some that it is needed for. */
const loadColours = () => import('./theme/colours.ts');

const colour = z
  .string()
  .max(100, { error: A_COLOUR, abort: true })
  .refine(async (name) => HEX_COLOUR.test(name) || (await loadColours()).isColour(name), A_COLOUR);
const colourPair = z
  .strictObject({ light: colour.optional(), dark: colour.optional() })
  .refine(({ light, dark }) => light !== undefined || dark !== undefined, 'must have a colour for "light" or "dark"');
const describeColour = ({ input }: { readonly input?: unknown }): string =>
  typeof input === 'string' ? A_COLOUR : `${A_COLOUR}, or one each for "light" and "dark" pages`;

const themeColour = z.union([colour, colourPair], { error: describeColour });

/** Backgrounds of text and code: between light and dark, not all of their colours could be read. */
const A_GROUND = 'must be light, for light pages, or dark, for dark ones';
const groundOf = (kind: 'light' | 'dark') =>
  colour.refine(
    async (name) => (await loadColours()).kindOfGround(name) === kind,
    `must be ${kind}, since it is for ${kind} pages`,
  );
const themeGround = z.union(
  [
    colour.refine(async (name) => (await loadColours()).kindOfGround(name) !== undefined, A_GROUND),
    z
      .strictObject({ light: groundOf('light').optional(), dark: groundOf('dark').optional() })
      .refine(
        ({ light, dark }) => light !== undefined || dark !== undefined,
        'must have a colour for "light" or "dark"',
      ),
  ],
  { error: describeGround },
);

/** Returns what is wrong with one colour for a ground. */
function describeGround({ input }: { readonly input?: unknown }): string {
  return typeof input === 'string' && HEX_COLOUR.test(input) ? A_GROUND : describeColour({ input });
}

/** Most files of a kind, such as style sheets. */
const MAX_THEME_FILES = 20;

const fileList = (what: string) =>
  z.union(
    [text, z.array(text).max(MAX_THEME_FILES, `must not have more than ${MAX_THEME_FILES} files`)],
    `must be ${what}, or a list of them`,
  );

const fontWeight = z.union(
  [z.int().min(1).max(1000).transform(String), z.string().regex(/^[1-9]\d{0,2} (?:[1-9]\d{0,2}|1000)$/)],
  'must be a number from 1 to 1000, or two, such as "100 900"',
);
const fontFace = z.union(
  [
    text,
    z.strictObject({
      file: text,
      weight: fontWeight.optional(),
      style: z.enum(['normal', 'italic']).optional(),
      lang: languageCode.optional(),
    }),
  ],
  'must be a font file, or a map of "file", "weight", "style" and "lang"',
);
/** Always a list. */
const themeFont = z.union(
  [
    fontFace.transform((face) => [face]),
    z.array(fontFace).min(1).max(MAX_THEME_FILES, `must not have more than ${MAX_THEME_FILES} files`),
  ],
  'must be a font file, or a list of them',
);

const webUrl = text.regex(/^https?:\/\/[^\s/]/i, 'must be a URL such as "https://example.com/you"');
const socialLinks = z.strictObject(
  Object.fromEntries(
    Object.keys(NETWORKS).map((name) => [
      name,
      (name === 'mail'
        ? text.regex(/^(?:mailto:)?[^\s@]+@[^\s@]+$/i, 'must be an address such as "you@example.com"')
        : name === 'rss'
          ? text
          : webUrl
      ).optional(),
    ]),
  ) as Readonly<Record<Network, z.ZodOptional<z.ZodString>>>,
);

const themeAnalytics = z.strictObject({
  plausible: z.strictObject({ script: webUrl.optional(), domain: text.optional() }).optional(),
  umami: z.strictObject({ script: webUrl.optional(), id: text }).optional(),
  matomo: z.strictObject({ url: webUrl, site: z.int().min(1) }).optional(),
  google: text.regex(/^[A-Z]{1,4}-[A-Z0-9-]{1,40}$/, 'must be an ID such as "G-ABC123"').optional(),
  script: webUrl.optional(),
});

/** Most links of the header, and of each of its menus. */
export const MAX_LINKS = 20;
export const MAX_MENU_LINKS = 30;

/** A link of the header, or a menu of links. */
export interface ThemeLink {
  readonly title: LocalText;
  /** A page or file, a path from the site's root that begins with a language, or an absolute URL. */
  readonly url?: string | undefined;
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

/** Most columns of links of the footer. */
export const MAX_COLUMNS = 6;

/** The end of every page: a text, in which Markdown may link, and columns of links. */
export interface ThemeFooter {
  readonly text?: LocalText | undefined;
  readonly columns?: readonly { readonly title: LocalText; readonly links: readonly ThemeLink[] }[] | undefined;
}

const column = z.strictObject({
  title: localText,
  links: z
    .array(z.strictObject({ ...linkKeys, url: text }))
    .min(1, 'must have at least one link')
    .max(MAX_MENU_LINKS, `must not have more than ${MAX_MENU_LINKS} links`),
});
const FOOTER_FORM = `must be a text, texts by language, or a map of "text" and up to ${MAX_COLUMNS} "columns", each with "title" and "links"`;
const themeFooter: z.ZodType<ThemeFooter> = z.union(
  [
    z
      .strictObject({ text: localText.optional(), columns: z.array(column).max(MAX_COLUMNS).optional() })
      .refine(({ text, columns }) => text !== undefined || columns !== undefined, FOOTER_FORM),
    localText.transform((words) => ({ text: words })),
  ],
  {
    error: ({ input }) => (typeof input === 'string' && input.trim().length > MAX_TEXT ? TEXT_TOO_LONG : FOOTER_FORM),
  },
);

const refList = z
  .union([text, z.array(text)], 'must be a name or glob, or a list of them')
  .transform((value) => (Array.isArray(value) ? value.join('|') : value));

/** Schemas that the checks of options are made of. */
const SCHEMAS = { z, text, languageCode, refList };
export type Schemas = typeof SCHEMAS;

/** Most components of a repository. */
const MAX_COMPONENTS = 200;

const repositoryPath = text
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'must be a path inside the repository')
  .transform((path) => path.replace(/^\.\//, ''));

const SETTING_SCHEMAS = { z, text, path: repositoryPath };

/** Keys that are no options: they are read from each version, or are what `theme.ts` knows of. */
const OWN_KEYS = {
  nav: z
    .array(navEntry, 'must be a list of pages, each on a line of its own, such as "- Guide: guide/index.md"')
    .max(5000)
    .optional(),
  redirects: z.record(text, text, 'must be a map of old URLs to pages, such as "old.md: guide/new.md"').optional(),
  theme: z
    .strictObject({
      accent: themeColour.optional(),
      colors: z
        .strictObject({
          background: themeGround.optional(),
          text: themeColour.optional(),
          header: themeColour.optional(),
          headerText: themeColour.optional(),
          links: themeColour.optional(),
          code: themeGround.optional(),
        })
        .optional(),
      fonts: z
        .strictObject({ body: themeFont.optional(), heading: themeFont.optional(), code: themeFont.optional() })
        .optional(),
      logo: text.optional(),
      logoDark: text.optional(),
      favicon: text.optional(),
      image: text.optional(),
      hideTitle: z.boolean().optional(),
      social: socialLinks.optional(),
      styles: fileList('a CSS file').optional(),
      scripts: fileList('a script').optional(),
      analytics: themeAnalytics.optional(),
      links: z.array(themeLink).max(MAX_LINKS).optional(),
      footer: themeFooter.optional(),
      feedback: text
        .regex(
          /^(?:event$|(?:https?:\/\/[^/]|mailto:).*\{answer\})/,
          'must be "event", or an http, https or mailto URL with {answer} in it',
        )
        .optional(),
    })
    .optional(),
  extensions: z
    .strictObject({
      components: z
        .record(text.regex(COMPONENT_NAME, 'must begin with a capital letter, such as "Price"'), repositoryPath)
        .refine(
          (all) => Object.keys(all).length <= MAX_COMPONENTS,
          `must not have more than ${MAX_COMPONENTS} components`,
        )
        .optional(),
      changelog: BUILT_IN.changelog.check(SETTING_SCHEMAS).optional(),
      openapi: BUILT_IN.openapi.check(SETTING_SCHEMAS).optional(),
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
};

/** The keys of `.docbuild.yml` that are no options. */
export type OwnKeys = z.output<z.ZodObject<typeof OWN_KEYS>>;

/** Returns the schema of `.docbuild.yml`, with the checks of options by their keys; unknown keys are errors. */
export function createProjectFileSchema(checks: ReadonlyMap<string, (schemas: Schemas) => z.ZodType>) {
  const options = [...checks].map(([key, check]) => [key, check(SCHEMAS).optional()] as const);
  return z.strictObject({ ...(Object.fromEntries(options) as Record<string, z.ZodType>), ...OWN_KEYS });
}
