import { createHash } from 'node:crypto';
import type { ObjectReader, Warning } from '../model.ts';
import type { PathFinder } from './read-version.ts';

/** The site's logo: an address elsewhere, or a file that is published with the theme's own. */
export type ThemeLogo =
  | { readonly url: string; readonly name?: undefined }
  | { readonly url?: undefined; readonly name: string; readonly bytes: Uint8Array };

const MAX_LOGO_BYTES = 1_000_000;

/** Reads the logo that a project file names, from the repository's root or the source folder; a missing one is a warning. */
export async function readLogo(options: {
  readonly logo: string | undefined;
  readonly ref: string;
  readonly sourceFolder: string;
  readonly reader: ObjectReader;
  readonly find: PathFinder;
}): Promise<{ readonly logo: ThemeLogo | undefined; readonly warnings: readonly Warning[] }> {
  const { logo, find } = options;
  if (logo === undefined) return { logo: undefined, warnings: [] };
  if (/^https?:\/\//i.test(logo)) return { logo: { url: logo }, warnings: [] };
  const path = logo.replace(/^\.?\/+/, '');
  const entry = (await find(path)) ?? (await find(options.sourceFolder + path));
  const extension = /\.(?:svg|png|jpe?g|webp|gif|avif|ico)$/i.exec(path)?.[0].toLowerCase();
  const bytes =
    entry?.kind === 'file' && extension !== undefined ? await options.reader.readBlob(entry.oid) : undefined;
  if (bytes && bytes.length <= MAX_LOGO_BYTES) {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
    return { logo: { name: `logo.${hash}${extension}`, bytes }, warnings: [] };
  }
  const message = `Logo "${logo}" is not an image in the repository of at most ${MAX_LOGO_BYTES / 1e6} MB`;
  return {
    logo: undefined,
    warnings: [{ ref: options.ref, file: '.docbuild.yml', line: 0, code: 'missing-file', message }],
  };
}
