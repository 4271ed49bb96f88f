import type { BuildLimits } from '../build-limits.ts';
import { contentKey } from '../cache/content-key.ts';
import type { LanguagePages } from '../source/collect-pages.ts';
import { isPageFile } from '../source/page-path.ts';
import type { SiteFrame } from './create-site-frame.ts';
import type { SiteInput } from './plan-site.ts';
import type { VersionSources } from './read-sources.ts';
import { hasSource, type Version } from './read-version.ts';

/** Returns the limits that decide what is published; the others only whether it is. */
export function contentLimits({ maxFiles, maxDepth, maxPageBytes, maxFileBytes }: BuildLimits): readonly number[] {
  return [maxFiles, maxDepth, maxPageBytes, maxFileBytes];
}

/** Returns a hash of what the releases of all versions depend on besides their own tree. */
export function hashSite(
  input: SiteInput,
  frame: SiteFrame,
  latestPages: readonly LanguagePages[],
  logoName: string | undefined,
): string {
  const { settings } = input;
  return contentKey(
    input.engineVersion,
    JSON.stringify([settings, input.sourceDir, frame.languages, logoName, frame.host?.edit('x')]),
    latestPages
      .map(({ language, pages }) => `${language.code}\n${pages.map((page) => page.output).join('\n')}`)
      .join('\0'),
    [...frame.editable].sort().join('\n'),
  );
}

/** Returns the pages on the default branch, from the repository's root: only they can be edited there. */
export async function listEditable(head: Version, sources: VersionSources): Promise<ReadonlySet<string>> {
  const source = await sources.read(head);
  if (!hasSource(source)) return new Set();
  const pages = source.listing.files.filter(({ path, isLeftOut }) => isPageFile(path) && !isLeftOut);
  return new Set(pages.map(({ path }) => source.realPath(path)));
}
