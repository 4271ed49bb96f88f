import { type Project, pagePath } from './find-project.ts';

/**
 * What is known of a project: the API's answer, or `versions.json` of a static export. Nobody has checked its values. Objects
 * have no prototype.
 */
export interface Description {
  /** Names by language: `latest`, then branches, then tags, newest first. */
  readonly versions: Readonly<Record<string, readonly string[]>>;
  readonly refs: Readonly<Record<string, { readonly kind: string; readonly slug: string }>>;
  /** Name of the ref that `latest` stands for. */
  readonly latest: string;
  readonly single: boolean;
  readonly showNav?: boolean;
  readonly hideGit?: boolean;
  /** Address of the repository. */
  readonly url?: string | null;
  /** Where the page's source is; in `versions.json` a template with `{ref}`. */
  readonly edit?: string | null;
  /** Where the page is, and where it is in other languages and versions. */
  here?: Place | null;
  /** Only in `versions.json`: paths of pages, lists of places in them, and the list of a language's version. */
  readonly paths?: readonly string[];
  readonly lists?: readonly (readonly number[])[];
  readonly pages?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** A description that says where the page is. */
export interface FoundDescription extends Description {
  readonly here: Place;
}

/** A page, and what takes its place elsewhere. */
export interface Place {
  readonly lang: string;
  readonly version: string;
  readonly alternates: readonly Alternate[];
}

export interface Alternate {
  readonly lang: string;
  readonly version: string;
  /** From the site's root, without leading slash. */
  readonly url: string;
  /** False: the page is not there, the address is that of its nearest ancestor. */
  readonly exists: boolean;
}

/**
 * Asks for the description. Rejects when there is no answer in 10 seconds, or one that cannot be it: no JSON, or more than
 * 8 million characters.
 */
export async function requestDescription({ root, api }: Project): Promise<FoundDescription> {
  const path = decodeURIComponent(pagePath(root));
  const { body } = await fetch(api ? `${api}?path=/${encodeURIComponent(path)}` : `${root}versions.json`, {
    credentials: 'omit',
    signal: AbortSignal.timeout(10_000),
  });
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  // What is too long breaks off here and is no JSON then; the signal ends the transfer.
  while (text.length < 8_000_000) {
    const { value } = await reader.read();
    if (!value) break;
    text += value;
  }
  // Objects are indexed by names from outside: nothing but the answer's own fields may be found in them.
  const answer = JSON.parse(text, (_, value) =>
    value instanceof Object && !Array.isArray(value) ? Object.setPrototypeOf(value, null) : value,
  );
  const description: Description = answer.data ?? answer;
  description.here ??= locatePage(description, path);
  return description as FoundDescription;
}

/**
 * Finds out where the page at `path` (from the site's root, decoded) is, and what takes its place in every language and
 * version: the same page, else the index of its nearest ancestor folder, else the version's home. Where the description
 * has no pages, that is the home, taken to be meant.
 */
function locatePage({ versions, refs, single, latest, paths, lists, pages }: Description, path: string): Place {
  const alternates = Object.entries(versions).flatMap(([lang, names], index) =>
    names.map((version) => ({
      lang,
      version,
      url: single ? (index ? `${lang}/` : '') : `${lang}/${refs[version]?.slug ?? version}/`,
      exists: true,
    })),
  );
  // The last one: in a site with one version, the default language's address is empty and fits all.
  const found = [...alternates].reverse().find(({ url }) => `${path}/`.startsWith(url));
  const page = (found ? path.slice(found.url.length) : '').replace(/(^|\/)$/, '$1index').replace(/(\.html)?$/, '.html');
  for (const alternate of alternates) {
    const { lang, version, url } = alternate;
    const list = lists?.[pages![lang]![version === 'latest' ? latest : version]!];
    let file = page;
    while (file !== 'index.html' && !list?.includes(paths!.indexOf(file))) {
      file = file.replace(/[^/]*(\/index\.html)?$/, 'index.html');
    }
    alternate.exists = !list || file === page;
    // Everything else is encoded when a URL is made of it.
    alternate.url = (url + file).replace(/(^|\/)index\.html$/, '$1').replace(/[%?#]/g, encodeURIComponent);
  }
  return { ...(found ?? alternates[0]!), alternates };
}
