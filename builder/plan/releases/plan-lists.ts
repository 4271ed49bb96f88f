import { contentKey } from '../../cache/content-key.ts';
import { findMessages } from '../../compose/messages.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { LiveContent } from '../../publish/live-output.ts';
import { LATEST_SLUG } from '../../refs/version-slug.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import { type ReleaseNavigation, titlePage } from '../navigation/release-navigation.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import { composeFullLater, groupPages, type ListedPage, LLMS_FILE, LLMS_FULL_FILE, writeLlms } from './llms.ts';
import type { PlannedFile, ReleaseScope } from './plan-page.ts';

/**
 * Plans the list of a release's pages for programs, and all of them in one file where that is wanted. `markdown` has the Markdown of
 * pages by its paths.
 */
export function planLists(
  pages: readonly Page[],
  release: ReleaseScope,
  {
    navigation,
    markdown,
  }: { readonly navigation: ReleaseNavigation; readonly markdown: ReadonlyMap<string, LiveContent> },
): { readonly files: readonly PlannedFile[]; readonly isPortable: boolean } {
  const { language, version } = release;
  const { site, slug, rendered, source } = version;
  const { title, baseUrl, llmsFull = 'latest' } = site.settings;
  const listed = pages.flatMap((page) => listPage(page, rendered.get(page.file)!, release.markdown.get(page.output)));
  if (listed.length === 0) return { files: [], isPortable: true };
  const start = pages.find(({ output }) => output === 'index.html')?.meta;
  const groups = groupPages(listed, navigation.listGroups());
  const text = writeLlms(groups, {
    title,
    description: start?.description ?? start?.hero?.tagline,
    pages: findMessages(language.tag).pages,
  });
  const list = { path: LLMS_FILE, key: contentKey('file', text), make: writeLater(text) };
  const isLatest = site.latestRef === source.version.ref.name;
  if (llmsFull === 'none' || (llmsFull === 'latest' && !isLatest)) return { files: [list], isPortable: true };
  const root = baseUrl && baseUrl + pageAddress(site.releasePath(language.code, isLatest ? LATEST_SLUG : slug));
  const parts = groups
    .flatMap((group) => group.pages)
    .map(({ path, address }) => ({ path, url: root && root + address, ...markdown.get(path)! }));
  const key = contentKey('llms-full', site.tools.engineVersion, JSON.stringify(parts));
  // Its URLs name the version.
  return { files: [list, { path: LLMS_FULL_FILE, key, make: composeFullLater(parts) }], isPortable: false };
}

function listPage(page: Page, rendered: RenderedPage, path: string | undefined): readonly ListedPage[] {
  const { output, meta } = page;
  if (path === undefined || meta.visibility !== 'listed' || !meta.isSearchable) return [];
  const title = titlePage(page, rendered);
  return [{ address: pageAddress(output), path, title, description: meta.description }];
}

/** Not nested in its caller, so that it retains nothing else of the release. */
function writeLater(text: string): () => string {
  return () => text;
}
