import type { Alternate, FoundDescription } from '../button/description.ts';

/** Two versions of the page at hand: `to` is the one that is shown. */
export interface Versions {
  readonly from: string;
  readonly to: string;
}

/** Finds the version that an address names by its name or its slug; undefined where there is none in the language of the page. */
export function findVersion({ versions, refs, here }: FoundDescription, name: string): string | undefined {
  const names = versions[here.lang] ?? [];
  return names.find((one) => one === name) ?? names.find((one) => refs[one]?.slug === name);
}

/** Returns the page at hand in a version of its language. */
export function findPlace({ here }: FoundDescription, version: string): Alternate | undefined {
  return here.alternates.find((one) => one.lang === here.lang && one.version === version);
}

/** Returns what a version is called: `latest` is the name of what it stands for. */
export function nameVersion({ latest }: FoundDescription, version: string): string {
  return version === 'latest' ? latest : version;
}

/** Returns the address of the page in a version, compared with another one. */
export function addressOf(description: FoundDescription, { from, to }: Versions): string | undefined {
  const place = findPlace(description, to);
  if (!place) return undefined;
  // The dot keeps `javascript:` and `//host` relative.
  const url = new URL(`./${place.url}`, description.site);
  if (!url.href.startsWith(description.site)) return undefined;
  url.searchParams.set('compare', description.refs[from]?.slug ?? from);
  return url.href;
}

/**
 * Chooses what a reader who wants to compare the page at hand most likely wants to see: what is new since an old version, else what has
 * changed since the version before. Undefined where the page is in no other version.
 */
export function chooseVersions(description: FoundDescription, newest: string | undefined): Versions | undefined {
  const { here, versions, latest, refs } = description;
  const has = (version: string): boolean => findPlace(description, version)?.exists === true;
  if (here.path === undefined || here.version === '') return undefined;
  if (newest !== undefined && has(newest)) {
    return { from: here.version, to: newest === latest && has('latest') ? 'latest' : newest };
  }
  const own = nameVersion(description, here.version);
  const names = versions[here.lang] ?? [];
  const others = names.filter((name) => name !== 'latest' && name !== own && has(name));
  // Versions stand in the list from the newest to the oldest; a branch is compared with what readers get.
  const older = others.filter((name) => names.indexOf(name) > names.indexOf(own));
  const from = refs[own]?.kind === 'tag' ? older[0] : (others.find((name) => name === latest) ?? older[0]);
  return from === undefined ? undefined : { from, to: here.version };
}
