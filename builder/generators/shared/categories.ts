import { type Data, isFalse, map, number, own, ownOf, text } from '../../config/data-values.ts';
import { parseYaml } from '../../config/parse-yaml.ts';
import { plainText } from './navigation-items.ts';

/** The settings of a folder in a file of its own, as Docusaurus, Nuxt Content and docbuild have it. Plain data. */
export interface Category {
  /** One text, or texts by language. */
  readonly title: string | Readonly<Record<string, string>> | undefined;
  readonly order: number | undefined;
  readonly isCollapsed: boolean | undefined;
  /** It is not in the navigation, and neither is what is in it. */
  readonly isHidden: boolean;
  /** Docusaurus' id of the page that the folder links to, from the folder or the root; null = none. */
  readonly id: string | null | undefined;
}

const MAX_LENGTH = 100_000;
/** Name of the file with the settings of its folder in Docusaurus and in docbuild. */
export const CATEGORY_FILE = /^_category_\.(?:json|ya?ml)$/;

/** Reads the settings of a folder. Returns the reason if it cannot be read. */
export async function readCategory(
  content: string,
): Promise<Category | { readonly reason: string; readonly line: number }> {
  // JSON is YAML, too.
  const parsed = await parseYaml(content, MAX_LENGTH);
  if ('reason' in parsed) return parsed;
  const data: Data = map(parsed.data) ?? {};
  const order = number(ownOf(data, ['order', 'position']));
  const collapsed = own(data, 'collapsed');
  const link = own(data, 'link');
  const navigation = own(data, 'navigation');
  return {
    title: readTitle(own(map(navigation) ?? {}, 'title') ?? ownOf(data, ['title', 'label'])),
    order,
    isCollapsed: isFalse(own(data, 'collapsible')) ? false : typeof collapsed === 'boolean' ? collapsed : undefined,
    isHidden: isFalse(navigation),
    id: link === undefined ? undefined : own(map(link) ?? {}, 'type') === 'doc' ? text(own(map(link)!, 'id')) : null,
  };
}

function readTitle(value: unknown): Category['title'] {
  const titles = map(value);
  if (!titles) return plainText(value);
  const texts = Object.entries(titles).flatMap(([language, title]) => {
    const shown = plainText(title);
    return shown === undefined ? [] : [[language, shown] as const];
  });
  return texts.length > 0 ? Object.fromEntries(texts) : undefined;
}
