import { isAbsoluteUrl } from '../../lib/url-text.ts';
import type { ThemeFile } from './theme-files.ts';

/** The settings of a site that decide its look. */
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
    readonly accent?: string | undefined;
    readonly footer?: string | undefined;
    readonly feedback?: string | undefined;
  };
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
  /** Plain text. */
  readonly footer: string | undefined;
  /** Where the answer to "Was this page helpful?" goes: a URL with places to fill in, or `event`; undefined = nobody asks. */
  readonly feedback: string | undefined;
  /** The button that leads to other languages and versions. */
  readonly button: ButtonModel | undefined;
  /** The header's switches, which do the same; undefined where there is one version and one language. */
  readonly switches: SwitchesModel | undefined;
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

/** A line above all pages, in plain text; with a URL it is a link. */
export interface Announcement {
  readonly text: string;
  readonly url?: string | undefined;
}

/** Where the nav button's script is and where it asks. */
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

/** Which switches the header has, and where they ask. */
export interface SwitchesModel extends Omit<ButtonModel, 'script'> {
  readonly hasVersions: boolean;
  readonly hasLanguages: boolean;
}

/** Returns the look of pages from where `siteRoot` leads to the site's root, and `assets` to the theme's own files. */
export function createTheme(
  { title, single, button, announcement, baseUrl, liveScript, theme }: ThemeSettings,
  images: ThemeImages,
  {
    siteRoot,
    assets,
    languages,
    hasRepository,
  }: {
    readonly siteRoot: string;
    readonly assets: string;
    readonly languages: number;
    /** Readers may see where the repository is. */
    readonly hasRepository: boolean;
  },
): ThemeModel {
  const placeUrl = (url: string): string => (isAbsoluteUrl(url) ? url : siteRoot + url.replace(/^\.?\/+/, ''));
  const placeImage = (image: ThemeImage | undefined): string | undefined =>
    image && ('url' in image ? image.url : assets + image.name);
  const place = { api: button === false ? undefined : button?.api, site: siteRoot, isSingle: single };
  const logo = placeImage(images.logo ?? images.logoDark);
  const placeAbsolute = (image: ThemeImage): string =>
    'url' in image ? image.url : `${baseUrl}${assets.slice(siteRoot.length)}${image.name}`;
  const [hasVersions, hasLanguages] = [!single, languages > 1];
  const hasContent = hasVersions || hasLanguages || hasRepository || place.api !== undefined;
  return {
    siteTitle: title,
    accent: theme.accent,
    logo: logo === undefined ? undefined : { url: logo, dark: placeImage(images.logoDark) },
    favicon: placeImage(images.favicon ?? images.logo),
    image: images.image && ('url' in images.image || baseUrl !== undefined) ? placeAbsolute(images.image) : undefined,
    styles: placeImage(images.styles),
    announcement: announcement?.url === undefined ? announcement : { ...announcement, url: placeUrl(announcement.url) },
    liveScript,
    footer: theme.footer,
    feedback: theme.feedback,
    // It would open an empty panel.
    button: button === false || !hasContent ? undefined : { script: button?.script, ...place },
    switches: hasVersions || hasLanguages ? { ...place, hasVersions, hasLanguages } : undefined,
  };
}
