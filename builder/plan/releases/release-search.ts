import { contentKey } from '../../cache/content-key.ts';
import type { SearchList, SearchPage } from '../../search/search-volume.ts';
import type { LanguagePages, Page } from '../../source/pages/collect-pages.ts';
import { titlePage } from '../navigation/release-navigation.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';

/** Returns the pages of a release that readers may find. */
export function listSearchPages({ pages }: LanguagePages, rendered: ReadonlyMap<string, RenderedPage>): SearchList {
  const found = pages.flatMap((page): readonly SearchPage[] => {
    const text = rendered.get(page.file)!;
    const { isSearchable, visibility, redirectTo } = page.meta;
    if (!isSearchable || visibility !== 'listed' || redirectTo !== undefined || text.isReplaced) return [];
    return [{ path: page.output, title: titlePage(page, text), key: text.key, lead: leadOf(page) }];
  });
  return { id: contentKey(...found.flatMap(({ path, title, key, lead }) => [path, title, key, lead])), pages: found };
}

/** Returns what the opening of a landing page says. */
function leadOf({ meta: { layout, hero, features } }: Page): string {
  if (layout !== 'home') return '';
  const texts = [hero?.name, hero?.text, hero?.tagline, ...features.flatMap(({ title, details }) => [title, details])];
  return texts.filter(Boolean).join(' · ');
}
