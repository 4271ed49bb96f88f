import type { Heading, PageExtra } from '../model.ts';
import type { TextLink, ThemeModel } from './theme.ts';

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
  readonly logos?:
    | {
        readonly title: string | undefined;
        readonly items: readonly { readonly image: PictureModel; readonly url: string | undefined }[];
      }
    | undefined;
  /** A call below all else. */
  readonly closing?:
    | { readonly title: string; readonly text: string | undefined; readonly actions: HomeModel['actions'] }
    | undefined;
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

/** A problem of a page, and its place in the repository. Plain text. */
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
  /** Of a translation: the language of its original, and the URL of what is told of translations; see `presentNotices`. */
  readonly original: { readonly tag: string; readonly notices: string } | undefined;
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
  readonly toc: readonly Heading[];
  readonly header: readonly HeaderEntry[];
  /** URL of the list of versions and languages. */
  readonly list: string;
  /** URL of the list of what changed between versions; undefined where there are none. */
  readonly changes: string | undefined;
  /** URL of the feed of these changes; undefined where there is none. */
  readonly feed: string | undefined;
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
  /** Where its file is shown. */
  readonly sourceUrl: string | undefined;
  /** The nav button floats, although the header does all that it does. */
  readonly asksForButton: boolean;
  /** Absolute URL of the image that previews of links to the page show; undefined = the site's. */
  readonly image: string | undefined;
  /** When the page was written: date, or date with time, of ISO 8601. */
  readonly updated: string | undefined;
  /** URL of `latest`'s copy of this page, relative or absolute. */
  readonly canonical: string | undefined;
  /** Absolute URLs of `latest`'s copies of this page in all its languages, the default one's first; empty = it has one, or no URL is known. */
  readonly alternates: readonly { readonly tag: string; readonly url: string }[];
  /** The way from the site's home to `latest`'s copy of this page, by absolute URLs; empty where none is known. */
  readonly trail: readonly { readonly title: string; readonly url: string }[];
  /** URL of its Markdown, relative to the page. */
  readonly markdown: string | undefined;
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

/** A page that says what changed between versions, in one language, or the list of such pages; URLs are relative to it. */
export interface ChangesModel {
  readonly theme: ThemeModel;
  readonly language: TextLanguage;
  readonly header: readonly HeaderEntry[];
  /** Home of the language. */
  readonly home: string;
  /** Folder of the theme's own files. */
  readonly assets: string;
  /** The version it is about, and the one it is compared with; undefined = the list. */
  readonly version: { readonly name: string; readonly older: TextLink } | undefined;
  /** URL of the list; undefined on the list itself. */
  readonly list: string | undefined;
  /** URL of the feed, if there is one. */
  readonly feed: string | undefined;
  /** Pages about one version each, the newest first; `older` is the slug and the name of the one it is compared with. */
  readonly versions: readonly (TextLink & { readonly older: readonly [slug: string, name: string] })[];
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
  /** URL of the list of what changed between versions; undefined in a site with one. */
  readonly changes: string | undefined;
  /** Newest first. */
  readonly branches: readonly TextLink[];
  readonly tags: readonly TextLink[];
  readonly languages: readonly (Pick<TextLink, 'url'> & TextLanguage)[];
  /** Boards of translations, with how much readers find of the latest version. */
  readonly boards: readonly (Pick<TextLink, 'url'> & TextLanguage & { readonly percent: number })[];
}

/** How the translation into a language stands: of one version page by page, of others in numbers. URLs are relative to the page. */
export interface BoardModel {
  readonly theme: ThemeModel;
  readonly language: TextLanguage;
  readonly original: TextLanguage;
  readonly header: readonly HeaderEntry[];
  /** Home of the language. */
  readonly home: string;
  /** URL of the list of versions and languages. */
  readonly list: string;
  /** Folder of the theme's own files. */
  readonly assets: string;
  /** URL of all that is known of all versions, as JSON. */
  readonly data: string;
  /** URLs of a release of the language and of the original, in which `{slug}` stands for that of a version. */
  readonly places: { readonly own: string; readonly original: string };
  /** In readers' order. */
  readonly versions: readonly {
    readonly name: string;
    readonly slug: string;
    readonly current: number;
    readonly behind: number;
    readonly missing: number;
    readonly percent: number;
  }[];
  /** Pages of the first version. */
  readonly rows: readonly BoardRow[];
}

export interface BoardRow {
  readonly title: string;
  readonly url: string;
  readonly state: 'current' | 'behind' | 'missing';
  /** Name of a version, or ''. */
  readonly since: string;
  /** Share of the original that is another one, from 0 to 1; undefined = none. */
  readonly amount: number | undefined;
  /** URL of the original, compared with what it was when the translation was in step; undefined = it never was. */
  readonly compare: string | undefined;
  readonly edit: string | undefined;
  /** Sections of the original, with their headings. */
  readonly sections: readonly {
    readonly state: 'changed' | 'missing' | 'removed';
    readonly heading: string;
    readonly url: string;
  }[];
}

export interface RedirectModel {
  /** Relative to this page, or absolute. */
  readonly url: string;
  readonly language: TextLanguage;
}
