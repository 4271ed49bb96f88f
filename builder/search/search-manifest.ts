/** Name of the file that says what can be searched; all other files of the index have names by their content. */
export const SEARCH_MANIFEST = 'search.json';

/** What can be searched. */
export interface SearchManifestInput {
  /** One version only, at the site's root. */
  readonly single: boolean;
  /** In readers' order, the latest first. */
  readonly versions: readonly { readonly name: string; readonly slug: string }[];
  /** The default language first. */
  readonly languages: readonly {
    readonly code: string;
    readonly tag: string;
    readonly volumes: readonly { readonly file: string; readonly versions: readonly string[] }[];
    /** What the dialog says, by the names of `client/search/open-index.ts`. */
    readonly words: Readonly<Record<string, string>>;
  }[];
}

/** Returns the manifest: `{format, single, versions: [[slug, name]], languages: [[code, tag, [[file, [slug]]], words]]}`. */
export function buildSearchManifest({ single, versions, languages }: SearchManifestInput): string {
  return JSON.stringify({
    format: 1,
    single,
    versions: versions.map(({ slug, name }) => [slug, name]),
    languages: languages.map(({ code, tag, volumes, words }) => [
      code,
      tag,
      volumes.map((one) => [one.file, one.versions]),
      words,
    ]),
  });
}
