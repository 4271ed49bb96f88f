import { isWebUrl } from '../../lib/url-text.ts';
import { THEME_IMAGES, type ThemeImage, type ThemeImages } from '../compose/theme.ts';
import { nameByContent } from '../compose/theme-files.ts';
import type { ObjectReader, Warning } from '../model.ts';
import { PROJECT_FILE_NAME } from '../source/project-file.ts';
import type { ProjectFile } from '../source/project-file-schema.ts';
import type { PathFinder } from './versions/version-source.ts';

const MAX_IMAGE_BYTES = 1_000_000;

/** Reads the images that a project file names, from the repository's root or the source folder; a missing one is a warning. */
export async function readThemeImages(
  theme: NonNullable<ProjectFile['theme']>,
  source: {
    readonly ref: string;
    readonly sourceFolder: string;
    readonly reader: ObjectReader;
    readonly find: PathFinder;
  },
): Promise<{ readonly images: ThemeImages; readonly warnings: readonly Warning[] }> {
  const images: { -readonly [Key in keyof ThemeImages]: ThemeImage } = {};
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
  return { images, warnings };
}

async function readImage(
  stem: string,
  name: string,
  source: { readonly sourceFolder: string; readonly reader: ObjectReader; readonly find: PathFinder },
): Promise<ThemeImage | undefined> {
  const path = name.replace(/^\.?\/+/, '');
  const extension = /\.(?:svg|png|jpe?g|webp|gif|avif|ico)$/i.exec(path)?.[0].toLowerCase();
  if (extension === undefined) return undefined;
  const entry = (await source.find(path)) ?? (await source.find(source.sourceFolder + path));
  if (entry?.kind !== 'file') return undefined;
  const bytes = await source.reader.readBlob(entry.oid);
  return bytes && bytes.length <= MAX_IMAGE_BYTES ? nameByContent(stem, extension, bytes) : undefined;
}
