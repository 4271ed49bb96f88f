import { isAbsoluteUrl } from '../../lib/url-text.ts';
import type { ThemeFile } from './theme-files.ts';

export interface ThemeSettings {
  readonly title: string;
  readonly single: boolean;
  /** Where the nav button's script is and where it asks; false = no button. */
  readonly button?: { readonly script: string; readonly api: string } | false | undefined;
  readonly announcement?: Announcement | undefined;
  /** Where the site is published, with a final `/`. */
  readonly baseUrl?: string | undefined;
  /** URL of a script that all pages load besides their own. */
  readonly liveScript?: string | undefined;
  readonly theme: {
    readonly links?: readonly HeaderLink[] | undefined;
    readonly accent?: string | undefined;
    readonly feedback?: string | undefined;
  };
}

interface HeaderLink {
  readonly url?: string | undefined;
  readonly links?: readonly HeaderLink[] | undefined;
}

/** The images that `theme` in a project file may name, by their keys. */
export const THEME_IMAGES = ['logo', 'logoDark', 'favicon', 'image'] as const;
/** An image of the theme: a URL elsewhere, or a file that is published with the theme's own. */
export type ThemeImage = { readonly url: string } | ThemeFile;
export type ThemeImages = { readonly [Key in (typeof THEME_IMAGES)[number]]?: ThemeImage } & {
  /** The project's own style sheet. */
  readonly styles?: ThemeFile;
};

/** The look of a site as templates show it, the same for all pages of a folder. URLs are relative to the page or absolute. */
export interface ThemeModel {
  readonly siteTitle: string;
  /** CSS colour, checked. */
  readonly accent: string | undefined;
  readonly logo: Picture | undefined;
  readonly favicon: string | undefined;
  /** Absolute URL of the image that previews of links show. */
  readonly image: string | undefined;
  /** URL of the project's own style sheet. */
  readonly styles: string | undefined;
  readonly announcement: Announcement | undefined;
  readonly liveScript: string | undefined;
  /** Placed for each page, since its links lead into the version and language that is read. */
  readonly footer: FooterModel | undefined;
  /** Where the answer to "Was this page helpful?" goes: a URL with places to fill in, or `event`; undefined = nobody asks. */
  readonly feedback: string | undefined;
  /** The header's menus of versions and languages; undefined where there is one of both. */
  readonly switches: SwitchesModel | undefined;
  /** The repository, where readers may see it. */
  readonly repository: RepositoryModel | undefined;
  /** The button that does all this where no header does; undefined where there is nothing to lead to. */
  readonly button: ButtonModel | undefined;
}

/** A picture, perhaps with another one for dark pages. */
export interface Picture {
  readonly url: string;
  readonly dark: string | undefined;
}

/** A link with its text; `url` is relative to the page, or absolute for other hosts. */
export interface TextLink {
  readonly title: string;
  readonly url: string;
}

export interface FooterLink {
  readonly title: string;
  readonly url: string | undefined;
  /** The path of a drawing beside the title, as of an entry of the header. */
  readonly icon: string | undefined;
  readonly isOutside: boolean;
}

/** The end of every page. */
export interface FooterModel {
  /** A text in parts, some of which are links. Plain text. */
  readonly text: readonly { readonly title: string; readonly url: string | undefined }[];
  readonly columns: readonly { readonly title: string; readonly links: readonly FooterLink[] }[];
}

/** A line above all pages, in plain text; with a URL it is a link. */
export interface Announcement {
  readonly text: string;
  readonly url?: string | undefined;
}

export interface ButtonModel {
  /** URL of the script; undefined = the one among the theme's own files. */
  readonly script: string | undefined;
  /** URL of the project's description; undefined = the site's own `versions.json`. */
  readonly api: string | undefined;
  /** Prefix that leads to the site's root. */
  readonly site: string;
  /** Whether URLs name no version. */
  readonly isSingle: boolean;
}

/** A menu of one entry says nothing, so there is none. */
export interface SwitchesModel extends Omit<ButtonModel, 'script'> {
  readonly hasVersions: boolean;
  readonly hasLanguages: boolean;
}

export interface RepositoryModel {
  /** Address of its home page. */
  readonly url: string;
  /** The path of an icon, in an SVG of 24 by 24 units. */
  readonly icon: string;
  /** Whether a link of the header, as its author has listed them, leads there already. */
  readonly isLinked: boolean;
}

/** A branch that leaves a line and comes back to it. */
const REPOSITORY_ICON =
  'M6 3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM5 8h2v8H5zM6 16a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM18 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM17 10.5h2v.5a5 5 0 0 1-5 5H7v-2h7a3 3 0 0 0 3-3z';

/** Returns the look of pages from where `siteRoot` leads to the site's root, and `assets` to the theme's own files. */
export function createTheme(
  { title, single, button, announcement, baseUrl, liveScript, theme }: ThemeSettings,
  images: ThemeImages,
  {
    siteRoot,
    assets,
    languages,
    versions,
    repository,
  }: {
    readonly siteRoot: string;
    readonly assets: string;
    readonly languages: number;
    readonly versions: number;
    /** Where readers may see the repository, and the icon of its code host if that is known. */
    readonly repository: { readonly url: string; readonly icon: string | undefined } | undefined;
  },
): ThemeModel {
  const placeUrl = (url: string): string => (isAbsoluteUrl(url) ? url : siteRoot + url.replace(/^\.?\/+/, ''));
  const placeImage = (image: ThemeImage | undefined): string | undefined =>
    image && ('url' in image ? image.url : assets + image.name);
  const place = { api: button === false ? undefined : button?.api, site: siteRoot, isSingle: single };
  const logo = placeImage(images.logo ?? images.logoDark);
  const placeAbsolute = (image: ThemeImage): string =>
    'url' in image ? image.url : `${baseUrl}${assets.slice(siteRoot.length)}${image.name}`;
  const [hasVersions, hasLanguages] = [!single && versions > 1, languages > 1];
  const hasContent = hasVersions || hasLanguages || repository !== undefined || place.api !== undefined;
  const isLinked = (links: readonly HeaderLink[]): boolean =>
    links.some((link) => isSameRepository(link.url, repository?.url) || isLinked(link.links ?? []));
  return {
    siteTitle: title,
    accent: theme.accent,
    logo: logo === undefined ? undefined : { url: logo, dark: placeImage(images.logoDark) },
    favicon: placeImage(images.favicon ?? images.logo),
    image: images.image && ('url' in images.image || baseUrl !== undefined) ? placeAbsolute(images.image) : undefined,
    styles: placeImage(images.styles),
    announcement: announcement?.url === undefined ? announcement : { ...announcement, url: placeUrl(announcement.url) },
    liveScript,
    footer: undefined,
    feedback: theme.feedback,
    switches: hasVersions || hasLanguages ? { ...place, hasVersions, hasLanguages } : undefined,
    repository: repository && {
      url: repository.url,
      icon: repository.icon ?? REPOSITORY_ICON,
      isLinked: isLinked(theme.links ?? []),
    },
    // It would open an empty panel.
    button: button === false || !hasContent ? undefined : { script: button?.script, ...place },
  };
}

function isSameRepository(one: string | undefined, other: string | undefined): boolean {
  const bare = (url: string | undefined): string | undefined => url?.replace(/(?:\.git)?\/?$/, '').toLowerCase();
  return one !== undefined && bare(one) === bare(other);
}
