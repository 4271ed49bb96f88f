import { isAbsoluteUrl, isWebUrl } from '../../lib/url-text.ts';
import { THEME_IMAGES, type ThemeImage, type ThemeImages } from '../compose/theme.ts';
import { nameByContent, type ThemeFile } from '../compose/theme-files.ts';
import { describeForeign, findForeignHost, NO_RESOURCE } from '../markdown/html/foreign-hosts.ts';
import type { ObjectReader, Warning } from '../model.ts';
import { PROJECT_FILE_NAME } from '../source/project-file.ts';
import type { ProjectFile } from '../source/project-file-schema.ts';
import type { PathFinder } from './versions/version-source.ts';

const MAX_IMAGE_BYTES = 1_000_000;
const MAX_STYLE_BYTES = 200_000;

/** Where the files are that a project file names. */
interface ThemeSource {
  readonly ref: string;
  readonly sourceFolder: string;
  readonly reader: ObjectReader;
  readonly find: PathFinder;
  /** See `findForeignHost`. */
  readonly allowedHosts: readonly string[];
}

/** Reads the images and the style sheet that a project file names, from the repository's root or the source folder; a missing one is a warning. */
export async function readThemeImages(
  theme: NonNullable<ProjectFile['theme']>,
  source: ThemeSource,
): Promise<{ readonly images: ThemeImages; readonly warnings: readonly Warning[] }> {
  const images: { -readonly [Key in (typeof THEME_IMAGES)[number]]?: ThemeImage } = {};
  const warnings: Warning[] = [];
  for (const key of THEME_IMAGES) {
    const name = theme[key];
    if (name === undefined) continue;
    const image = isWebUrl(name) ? { url: name } : await readImage(key, name, source);
    if (image) images[key] = image;
    else {
      const what = `${key.charAt(0).toUpperCase()}${key.slice(1)} "${name}"`;
      const message = `${what} is not an image in the repository of at most ${MAX_IMAGE_BYTES / 1e6} MB`;
      warnings.push({ ref: source.ref, file: PROJECT_FILE_NAME, line: 0, code: 'missing-file', message });
    }
  }
  const styles = theme.styles === undefined ? undefined : await readStyles(theme.styles, source, warnings);
  return { images: { ...images, ...(styles && { styles }) }, warnings };
}

/** Reads a project's style sheet; files that it refers to do not travel with it. */
async function readStyles(name: string, source: ThemeSource, warnings: Warning[]): Promise<ThemeFile | undefined> {
  const warn = (code: Warning['code'], message: string, file = PROJECT_FILE_NAME, line = 0): void => {
    warnings.push({ ref: source.ref, file, line, code, message });
  };
  const found = /\.css$/i.test(name) ? await findFile(name, source) : undefined;
  if (!found || found.bytes.length > MAX_STYLE_BYTES) {
    warn(
      'missing-file',
      `Styles "${name}" are not a CSS file in the repository of at most ${MAX_STYLE_BYTES / 1e3} kB`,
    );
    return undefined;
  }
  const { createLineCounter, openStyles } = await import('../markdown/html/open-addresses.ts');
  const text = Buffer.from(found.bytes).toString('utf8');
  const lineOf = createLineCounter(text);
  const css = openStyles(text, (_kind, url, at, use) => {
    const line = lineOf(at);
    if (!isAbsoluteUrl(url)) {
      warn('missing-file', `File "${url}" is not published with the style sheet of the theme`, found.path, line);
      return undefined;
    }
    const host = use === undefined ? undefined : findForeignHost(url, source.allowedHosts);
    if (host === undefined) return undefined;
    warn('foreign-host', describeForeign('Style sheet or font', host), found.path, line);
    return NO_RESOURCE;
  });
  return nameByContent('styles', '.css', Buffer.from(css));
}

async function findFile(
  name: string,
  { find, sourceFolder, reader }: Pick<ThemeSource, 'find' | 'sourceFolder' | 'reader'>,
): Promise<{ readonly path: string; readonly bytes: Uint8Array } | undefined> {
  const path = name.replace(/^\.?\/+/, '');
  const entry = (await find(path)) ?? (await find(sourceFolder + path));
  return entry?.kind === 'file' ? { path: entry.path, bytes: await reader.readBlob(entry.oid) } : undefined;
}

async function readImage(stem: string, name: string, source: ThemeSource): Promise<ThemeImage | undefined> {
  const extension = /\.(?:svg|png|jpe?g|webp|gif|avif|ico)$/i.exec(name)?.[0].toLowerCase();
  const found = extension === undefined ? undefined : await findFile(name, source);
  if (!found || found.bytes.length > MAX_IMAGE_BYTES) return undefined;
  return nameByContent(stem, extension!, found.bytes);
}
