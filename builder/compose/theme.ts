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
    readonly feedback?: string | undefined;
    readonly hideTitle?: boolean | undefined;
    readonly social?: readonly SocialModel[] | undefined;
  };
}

interface HeaderLink {
  readonly url?: string | undefined;
  readonly links?: readonly HeaderLink[] | undefined;
}

/** The images that `theme` in a project file may name, by their keys. */
export const THEME_IMAGES = ['logo', 'logoDark', 'favicon', 'image'] as const;
/** An image of the theme: a URL elsewhere, or a file that is published with the theme's own. */
export type ThemeImage =
  | { readonly url: string }
  | (ThemeFile & { readonly size?: { readonly width: number; readonly height: number } });

/** A font among the theme's own files, of pages in a language, or of all that have none of their own. */
export interface BrandFont {
  readonly use: string;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly lang: string | undefined;
}

/** A script: a file of the project's, or a URL elsewhere. */
export interface BrandScript {
  readonly file?: ThemeFile;
  readonly url?: string;
  readonly isModule?: boolean;
  readonly attributes?: readonly (readonly [name: string, value: string])[];
}

/** Additions of a project to the look of its site: files of its repository, read and checked, that are published with the theme's own. */
export interface Brand {
  readonly images?: { readonly [Key in (typeof THEME_IMAGES)[number]]?: ThemeImage };
  /** docbuild's style sheet with the project's colours and fonts; undefined = as it is. */
  readonly style?: ThemeFile | undefined;
  /** The project's own style sheets, in the order in which pages load them. */
  readonly sheets?: readonly ThemeFile[];
  /** Fonts that are needed for what is seen first. */
  readonly preloads?: readonly BrandFont[];
  /** Scripts of the project, and of services that it uses, in the order in which pages run them. */
  readonly scripts?: readonly BrandScript[];
  /** Files that style sheets refer to. */
  readonly files?: readonly ThemeFile[];
}

/**
 * Folder of the scripts of a project, with a final `/`. It is apart from that of the theme's own files: a server that lets no scripts of
 * authors run on its own host allows those of that folder.
 */
export const SCRIPTS_FOLDER = '_docbuild-scripts/';

/** Returns all files of a brand but its scripts. */
export function listBrandFiles({ images = {}, style, sheets = [], files = [] }: Brand): readonly ThemeFile[] {
  const own = Object.values(images).filter((image) => 'bytes' in image);
  return [...own, ...(style ? [style] : []), ...sheets, ...files];
}

/** The look of a site as templates show it, the same for all pages of a folder. URLs are relative to the page or absolute. */
export interface ThemeModel {
  readonly siteTitle: string;
  /** Name of docbuild's style sheet with the project's colours among the theme's own files; undefined = as it is. */
  readonly style: string | undefined;
  readonly logo: Picture | undefined;
  readonly favicon: string | undefined;
  /** Absolute URL of the image that previews of links show. */
  readonly image: string | undefined;
  /** Whether the logo stands alone, for those who see it. */
  readonly hidesTitle: boolean;
  /** Links to places where the project is found, shown as icons. */
  readonly social: readonly SocialModel[];
  /** Fonts that pages ask for at once; chosen for the language of a page. */
  readonly fonts: readonly FontModel[];
  /** Scripts of the project and of services that it uses. */
  readonly scripts: readonly ScriptModel[];
  /** URLs of the project's own style sheets. */
  readonly styles: readonly string[];
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

export interface SocialModel {
  readonly title: string;
  readonly url: string;
  /** The path of a drawing in an SVG of 24 by 24 units. */
  readonly icon: string;
}

export interface FontModel extends Pick<BrandFont, 'use' | 'type' | 'lang'> {
  readonly url: string;
}

export interface ScriptModel {
  readonly url: string;
  readonly isModule: boolean;
  readonly attributes: readonly (readonly [name: string, value: string])[];
}

/** A picture, perhaps with another one for dark pages. */
export interface Picture {
  readonly url: string;
  readonly dark: string | undefined;
  /** In pixels, where known: the place is kept until it has come. */
  readonly width?: number;
  readonly height?: number;
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
  brand: Brand,
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
  const { images = {}, sheets = [] } = brand;
  const placeUrl = (url: string): string => (isAbsoluteUrl(url) ? url : siteRoot + url.replace(/^\.?\/+/, ''));
  const placeImage = (image: ThemeImage | undefined): string | undefined =>
    image && ('url' in image ? image.url : assets + image.name);
  const place = { api: button === false ? undefined : button?.api, site: siteRoot, isSingle: single };
  const logo = images.logo ?? images.logoDark;
  const logoUrl = placeImage(logo);
  const logoSize = logo && 'size' in logo ? logo.size : undefined;
  const placeAbsolute = (image: ThemeImage): string =>
    'url' in image ? image.url : `${baseUrl}${assets.slice(siteRoot.length)}${image.name}`;
  const [hasVersions, hasLanguages] = [!single && versions > 1, languages > 1];
  const hasContent = hasVersions || hasLanguages || repository !== undefined || place.api !== undefined;
  const isLinked = (links: readonly HeaderLink[]): boolean =>
    links.some((link) => isSameRepository(link.url, repository?.url) || isLinked(link.links ?? []));
  return {
    siteTitle: title,
    style: brand.style?.name,
    hidesTitle: theme.hideTitle === true && logoUrl !== undefined,
    social: (theme.social ?? []).map((link) => ({ ...link, url: placeUrl(link.url) })),
    fonts: (brand.preloads ?? []).map(({ name, ...font }) => ({ ...font, url: assets + name })),
    scripts: (brand.scripts ?? []).map(({ file, url, isModule = false, attributes = [] }) => ({
      url: file ? siteRoot + SCRIPTS_FOLDER + file.name : url!,
      isModule,
      attributes,
    })),
    logo: logoUrl === undefined ? undefined : { url: logoUrl, dark: placeImage(images.logoDark), ...logoSize },
    favicon: placeImage(images.favicon ?? images.logo),
    image: images.image && ('url' in images.image || baseUrl !== undefined) ? placeAbsolute(images.image) : undefined,
    styles: sheets.map(({ name }) => assets + name),
    announcement: announcement?.url === undefined ? announcement : { ...announcement, url: placeUrl(announcement.url) },
    liveScript,
    footer: undefined,
    feedback: theme.feedback,
    switches: hasVersions || hasLanguages ? { ...place, hasVersions, hasLanguages } : undefined,
    repository: repository && {
      url: repository.url,
      icon: repository.icon ?? REPOSITORY_ICON,
      isLinked: isLinked([...(theme.links ?? []), ...(theme.social ?? [])]),
    },
    // It would open an empty panel.
    button: button === false || !hasContent ? undefined : { script: button?.script, ...place },
  };
}

function isSameRepository(one: string | undefined, other: string | undefined): boolean {
  const bare = (url: string | undefined): string | undefined => url?.replace(/(?:\.git)?\/?$/, '').toLowerCase();
  return one !== undefined && bare(one) === bare(other);
}
