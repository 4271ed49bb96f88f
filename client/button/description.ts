import { type Project, pagePath } from './find-project.ts';

/**
 * The description of a project: the API's answer, or `versions.json` of a static export. Nobody has checked its values. Objects
 * have no prototype.
 */
export interface Description {
  /** Names by language: `latest`, then branches, then tags, newest first. */
  readonly versions: Readonly<Record<string, readonly string[]>>;
  readonly refs: Readonly<Record<string, Described>>;
  /** Name of the ref that `latest` stands for. */
  readonly latest: string;
  readonly single: boolean;
  readonly showNav?: boolean;
  readonly hideGit?: boolean;
  /** The BCP 47 tag of each language whose code is not one. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Address of the site. */
  readonly site?: string;
  /** Address of the repository. */
  readonly url?: string | null;
  /** Where the page is, and where it is in other languages and versions. */
  readonly here?: Place | null;
}

/** A branch or tag. One that is named after a version has a rank in its family, the oldest 1. */
interface Described {
  readonly kind: string;
  readonly slug: string;
  readonly family?: string;
  readonly rank?: number;
  /** A pre-release, or newer than what `latest` stands for. */
  readonly isAhead?: boolean;
  /** The version that it follows. */
  readonly base?: string;
}

/** A description that says where the page and the site are. */
export interface FoundDescription extends Description {
  /** Links that our page's script has added: to the comparison with another version, and to the page's history. */
  readonly compare?: Node | undefined;
  readonly site: string;
  readonly here: Place;
}

/** A page, and what takes its place elsewhere. `version` is empty for a page outside the site, or in a version that does not exist. */
export interface Place {
  readonly lang: string;
  readonly version: string;
  /** Path in its version; undefined for a page that is in none. */
  readonly path?: string;
  readonly alternates: readonly Alternate[];
}

export interface Alternate {
  readonly lang: string;
  readonly version: string;
  /** From the site's root, without leading slash. */
  readonly url: string;
  /** False: the page is not there, the address is that of its nearest ancestor. */
  readonly exists: boolean;
  /** Id of the section that the page is there. */
  readonly section?: string;
  /** Addresses of sections of the page that are elsewhere there, by their ids. */
  readonly sections?: Readonly<Record<string, string>>;
}

/** The body of a page, which has the function by which our page's script and the button share one answer. */
export type SharingBody = HTMLElement & { docbuild?: () => Promise<FoundDescription> };

/** Returns the project's description: from our page's script, which may know it already, else from the API. */
export function findDescription(project: Project): Promise<FoundDescription> {
  return (document.body as SharingBody).docbuild?.() ?? requestDescription(project);
}

/**
 * Asks for the description, of the API unless another address is given. Rejects when there is no answer in 10 seconds, or one that
 * cannot be it: no JSON, or more than 8 million characters.
 */
export async function requestDescription(
  { root, api, isForeign }: Project,
  address?: string,
  locate: (description: Description, path: string) => Place = locateHome,
): Promise<FoundDescription> {
  const path = decodeURIComponent(pagePath(root));
  const { body } = await fetch(address ?? `${api}?path=/${encodeURIComponent(path)}`, {
    signal: AbortSignal.timeout(10_000),
  });
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  // A text that is too long breaks off here and is no JSON then; the signal ends the transfer.
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
  return {
    ...description,
    here: description.here ?? locate(description, path),
    // Pages of other tools may be anywhere; ours may be a copy, which leads to itself.
    site: (isForeign && description.site) || root,
  };
}

/** Returns the homes of all versions, for a page that is none of the site's. */
export function locateHome({ versions, refs, single }: Description): Place {
  const alternates = Object.entries(versions).flatMap(([lang, names], index) =>
    names.map((version) => ({
      lang,
      version,
      url: single ? (index ? `${lang}/` : '') : `${lang}/${refs[version]?.slug ?? version}/`,
      exists: true,
    })),
  );
  return { lang: alternates[0]?.lang as string, version: '', alternates };
}

/**
 * Returns the version to be read instead of the one at hand: the newest of its family, or undefined where that is not old. Only what
 * has a rank is a version, and nothing is old for what is ahead. A branch is work in progress: it makes other branches old, which are
 * lines of versions, but no release.
 */
export function findNewest({ here, versions, refs }: FoundDescription): string | undefined {
  const own = refs[here.version];
  let newest = own;
  let name: string | undefined;
  for (const other of versions[here.lang]!) {
    const ref = refs[other];
    // A missing rank is greater than none.
    const isNewer = (ref?.rank as number) > (newest?.rank as number) && !ref!.isAhead && ref!.family === own!.family;
    if (isNewer && (own!.kind !== 'tag' || ref!.kind === 'tag')) {
      newest = ref;
      name = other;
    }
  }
  return name;
}
