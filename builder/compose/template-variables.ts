import type { OVERRIDABLE } from './own-templates.ts';
import type { HomeModel, PageModel } from './page-model.ts';
import type { ThemeModel } from './theme.ts';

/** Names of docbuild's files in the folder `assets`. */
export interface AssetNames {
  readonly script: string;
  readonly icon: string;
  readonly buttonScript: string;
  readonly searchScript: string;
  readonly compareScript: string;
  readonly historyScript: string;
  readonly style: string;
}

/** Variables of all templates, whatever document they are a part of. */
export interface SharedVariables extends AssetNames {
  readonly theme: ThemeModel;
  readonly language: PageModel['language'];
  readonly ownName: string;
  readonly text: object;
  readonly list: string;
}

/** Further variables of the templates of pages; `home.njk` has the page's opening as `home`. */
export interface PageVariables extends SharedVariables {
  readonly page: PageModel;
  readonly written: PageModel['language'];
  readonly notice: string | undefined;
  readonly originalNotice: string;
  readonly heading: { readonly text: string; readonly isHidden: boolean } | undefined;
  readonly updated: string | undefined;
  readonly sharing: object;
  readonly linked: object;
  readonly isGiven: (name: string) => boolean;
  readonly hasHistory: boolean;
  readonly historyWords: string;
}

type Meanings<Keys extends PropertyKey> = Readonly<Record<Keys, string>>;

/** Purpose of each template that may be overridden. */
export const TEMPLATES: Meanings<(typeof OVERRIDABLE)[number]> = {
  'page.njk': 'Pages. Blocks: head_end, content_start, content_end, body_end',
  'head.njk': 'Beginning of the head of all documents: scripts, style sheets, icon',
  'header.njk': 'Top of all documents: logo, links, search, menus',
  'footer.njk': 'Foot of all documents',
  'home.njk': 'Opening of a landing page: hero and features',
  'not-found.njk': 'The page for URLs that do not exist',
};

/** Variables of templates with what they mean, by where they are had. Documentation lists the same. */
export const TEMPLATE_VARIABLES: {
  readonly 'All templates': Meanings<keyof SharedVariables | 'home' | 'header' | 'assets' | 'start'>;
  readonly Pages: Meanings<Exclude<keyof PageVariables, keyof SharedVariables>>;
  readonly page: Meanings<keyof PageModel>;
  readonly theme: Meanings<keyof ThemeModel>;
  readonly 'home in home.njk': Meanings<keyof HomeModel>;
} = {
  'All templates': {
    theme: 'The look of the site, see below',
    language: '`tag` (BCP 47) and `dir` (`ltr` or `rtl`) of the language',
    ownName: 'The name of the language in itself',
    text: 'Words of docbuild in the language, as in `templates/messages/`: `text.edit`',
    home: 'URL of the home page',
    header: 'Entries of the navigation: `title`, `url`, `icon`, `isOutside`, `isCurrent`, `links`',
    start: 'URL of the first page, or nothing; header.njk shows it',
    list: 'URL of the list of versions and languages',
    assets: "Folder of docbuild's own files and of the theme's, with a final `/`",
    script: 'Name in `assets` of the script of all pages',
    style: 'Name in `assets` of the style sheet of all pages',
    icon: 'Name in `assets` of the icon of sites without one',
    buttonScript: 'Name in `assets` of the script of the nav button',
    searchScript: 'Name in `assets` of the script of the search',
    compareScript: 'Name in `assets` of the script that compares versions',
    historyScript: 'Name in `assets` of the script that shows the history of a page',
  },
  Pages: {
    page: 'The page, see below; not defined in other documents: `{% if page is defined %}`',
    written: '`tag` and `dir` of the language in which the page is written',
    notice: 'Why the page is shown in another language, or nothing',
    originalNotice: 'That the original of the page has changed, or nothing',
    heading: '`text` and `isHidden` of the heading that the text lacks, or nothing',
    updated: 'The date of the page in words, or nothing',
    sharing: 'For search engines and previews of links: `url`, `locale`, `alternates`, `trail`',
    linked: 'Names in `assets` of what the page needs: `diagrams`, `formulas`',
    isGiven: 'Function: whether front matter has an element of this name for the head',
    hasHistory: 'Whether the page can show its history',
    historyWords: 'Words for it, as its script reads them',
  },
  page: {
    theme: 'The same as `theme`',
    language: 'The same as `language`',
    fallbackLanguage: 'Language of a page that is not translated, or nothing',
    original: 'Of a translation: `tag` of its original, `notices`; or nothing',
    layout: '`doc` or `home`',
    isUnlisted: 'Whether it is hidden from search engines',
    title: 'Its title, plain text',
    hidesTitle: 'Whether the title is shown by its own text only',
    description: 'Its description, plain text; may be empty',
    root: 'Prefix of URLs that leads to the root of the version',
    assets: 'The same as `assets`',
    content: 'Its text, HTML: `{{ page.content | safe }}`',
    extras: 'What it needs besides: `diagrams`, `formulas`',
    problem: 'Why it cannot be shown: `place`, `message`; or nothing',
    home: 'Opening of a landing page, see below; or nothing',
    head: 'Elements of front matter for the head: `tag`, `attributes`',
    hasSidebar: 'Whether the sidebar stands beside the text',
    toc: 'Headings for the table of contents: `id`, `level`, `text`',
    header: 'The same as `header`',
    list: 'The same as `list`',
    changes: 'URL of the list of what changed between versions, or nothing',
    feed: 'URL of the feed of it, or nothing',
    isHeaderOfSidebar: 'Whether the sidebar has the entries of the header, too',
    start: 'The same as `start`, or nothing',
    sidebar: 'List of the sidebar, HTML',
    breadcrumbs: 'Folders above it: `title`, `url`',
    previous: 'The page before it: `title`, `url`; or nothing',
    next: 'The page after it: `title`, `url`; or nothing',
    editUrl: 'Where it can be edited, or nothing',
    sourceUrl: 'Where its file is shown, or nothing',
    asksForButton: 'Whether the nav button floats on it',
    image: 'URL of the picture for previews of links, or nothing',
    updated: 'Its date in ISO 8601, or nothing',
    canonical: 'URL of it in `latest`, or nothing',
    alternates: 'It in all its languages: `tag`, `url`',
    trail: 'The way to it from the home page: `title`, `url`',
    markdown: 'URL of its Markdown, or nothing',
  },
  theme: {
    siteTitle: 'Title of the site',
    style: "The project's variant of the style sheet, or nothing",
    logo: '`url`, `dark`, `width`, `height`; or nothing',
    favicon: 'URL of the icon, or nothing',
    image: 'URL of the picture for previews of links, or nothing',
    hidesTitle: 'Whether the logo stands without the title',
    social: 'Social links: `title`, `url`, `icon`',
    fonts: 'Fonts that are loaded at once: `use`, `url`, `type`, `lang`',
    scripts: 'Scripts: `url`, `isModule`, `attributes`',
    styles: "URLs of the project's style sheets",
    announcement: 'Line above all pages: `text`, `url`; or nothing',
    liveScript: 'URL of the script of previews, or nothing',
    footer: '`text` in parts and `columns`; or nothing',
    feedback: 'Where answers to "Was this page helpful?" go, or nothing',
    switches: 'Menus: `hasVersions`, `hasLanguages`, `site`, `api`, `isSingle`; or nothing',
    repository: '`url`, `icon`, `isLinked`; or nothing',
    button: 'The nav button: `script`, `api`, `site`, `isSingle`; or nothing',
  },
  'home in home.njk': {
    name: 'First part of the heading, or nothing',
    text: 'The rest of it, or nothing',
    tagline: 'A sentence below it, or nothing',
    image: '`url`, `dark`, `alt`, `width`, `height`; or nothing',
    actions: 'Buttons: `title`, `url`, `primary`',
    features: '`icon`, `title`, `details`, `link`',
    logos: '`title`, `items` with `image` and `url`; or nothing',
    closing: 'The call at the end: `title`, `text`, `actions`; or nothing',
  },
};
