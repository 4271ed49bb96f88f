import type { Heading, PageExtra } from '../model.ts';
import type { TextLink, ThemeModel } from './theme.ts';

/** The language of a text for HTML. */
export interface TextLanguage {
  /** BCP 47 tag for `lang` and `hreflang`, e.g. `zh-CN`. */
  readonly tag: string;
  readonly dir: 'ltr' | 'rtl';
}

/** A picture of a landing page; `dark` is shown in its place on dark pages. */
export interface PictureModel {
  readonly url: string;
  readonly dark?: string | undefined;
  readonly alt: string;
  /** In CSS pixels, where known; `dark` has the same. */
  readonly width?: number;
  readonly height?: number;
}

/** One of these: a text such as an emoji, a drawing as safe HTML, a picture. */
export interface IconModel {
  readonly text?: string;
  readonly svg?: string;
  readonly image?: PictureModel;
}

/** A landing page's opening, from front matter (`layout: home`, `hero`, `features`). All texts are plain text. */
export interface HomeModel {
  readonly name: string | undefined;
  readonly text: string | undefined;
  readonly tagline: string | undefined;
  readonly image: PictureModel | undefined;
  readonly actions: readonly (TextLink & { readonly primary: boolean })[];
  readonly features: readonly {
    readonly icon: IconModel | undefined;
    readonly title: string;
    readonly details: string;
    /** A link whose title is '' or the feature's makes the feature's title the link. */
    readonly link: TextLink | undefined;
  }[];
}

/** An entry of the header's navigation: a link, or a menu of links. */
export interface HeaderEntry {
  /** Plain text. */
  readonly title: string;
  /** Relative to the page, or absolute; undefined = a menu. */
  readonly url: string | undefined;
  /** The path of a drawing that is shown instead of the title, in an SVG of 24 by 24 units. */
  readonly icon: string | undefined;
  /** Whether it leads to another site. */
  readonly isOutside: boolean;
  /** Whether it leads to the page or to the folder that the page is in. */
  readonly isCurrent: boolean;
  readonly links: readonly HeaderEntry[];
}

/** What is wrong with a page, and where in the repository. Plain text. */
export interface PageProblem {
  readonly place: string;
  readonly message: string;
}

/** Everything a template needs for one page. Nothing in it depends on other versions or languages. */
export interface PageModel {
  readonly theme: ThemeModel;
  readonly language: TextLanguage;
  /** Set when the page is shown in another language than its folder's, because no translation exists. */
  readonly fallbackLanguage: TextLanguage | undefined;
  readonly layout: 'doc' | 'home';
  /** The page is hidden from search engines. */
  readonly isUnlisted: boolean;
  /** Plain text. */
  readonly title: string;
  /** The title is shown only by the page's own text. */
  readonly hidesTitle: boolean;
  /** Plain text; '' = none. */
  readonly description: string;
  /** Prefix that leads from this page to the release's root: `./`, `../`, `../../`, … */
  readonly root: string;
  /** Prefix that leads to the folder of the theme's own files (CSS, JS). */
  readonly assets: string;
  /** The page's text, ready HTML. */
  readonly content: string;
  /** What the text needs besides the theme's own files. */
  readonly extras: readonly PageExtra[];
  /** The reason why the page cannot be shown; a notice replaces `content` then. */
  readonly problem: PageProblem | undefined;
  readonly home: HomeModel | undefined;
  /** Elements of front matter for `<head>`. */
  readonly head: readonly {
    readonly tag: 'meta' | 'link';
    readonly attributes: readonly (readonly [name: string, value: string])[];
  }[];
  /** On wide screens, the sidebar stands beside the text; elsewhere it can always be opened. */
  readonly hasSidebar: boolean;
  /** Headings of the table of contents. */
  readonly toc: readonly Heading[];
  readonly header: readonly HeaderEntry[];
  /** URL of the list of versions and languages. */
  readonly list: string;
  /** Whether the header's entries are in the sidebar, too. */
  readonly isHeaderOfSidebar: boolean;
  /** URL of the first page of the documentation, on a landing page whose header leads to no page. */
  readonly start: string | undefined;
  /** Ready HTML of the sidebar's list, see `renderSidebar`. */
  readonly sidebar: string;
  /** From the release's root down to the folder of this page. */
  readonly breadcrumbs: readonly { readonly title: string; readonly url: string | undefined }[];
  readonly previous: TextLink | undefined;
  readonly next: TextLink | undefined;
  readonly editUrl: string | undefined;
  /** Absolute URL of the image that previews of links to the page show; undefined = the site's. */
  readonly image: string | undefined;
  /** When the page was written: date, or date with time, of ISO 8601. */
  readonly updated: string | undefined;
  /** URL of `latest`'s copy of this page, relative or absolute. */
  readonly canonical: string | undefined;
}

/** A language's page for URLs that do not exist: shown at any depth, so every URL in it begins with `base`. */
export interface NotFoundModel {
  /** As in `PageModel`, but its URLs begin with `base`, or are absolute. */
  readonly theme: ThemeModel;
  readonly language: TextLanguage;
  readonly header: readonly HeaderEntry[];
  /** URL of the list of versions and languages, relative to `base`. */
  readonly list: string;
  /** Absolute path or URL of the site's root, with a slash at the end. */
  readonly base: string;
  /** URL of the language's home page, relative to `base`. */
  readonly home: string;
  /** Folder of the theme's own files, relative to `base`. */
  readonly assets: string;
}

/** The list of all versions of a language, and of all languages; URLs are relative to it. */
export interface ListModel {
  readonly theme: ThemeModel;
  readonly language: TextLanguage;
  readonly header: readonly HeaderEntry[];
  /** Home of the language. */
  readonly home: string;
  /** Folder of the theme's own files. */
  readonly assets: string;
  /** Newest first. */
  readonly branches: readonly TextLink[];
  readonly tags: readonly TextLink[];
  readonly languages: readonly (Pick<TextLink, 'url'> & TextLanguage)[];
}

/** A page that only redirects to another. */
export interface RedirectModel {
  /** Relative to this page, or absolute. */
  readonly url: string;
  readonly language: TextLanguage;
}
