import { type Data, isFalse, map, own, text } from '../front-matter-values.ts';
import { parseYaml } from '../parse-yaml.ts';
import { plainText } from './navigation-items.ts';

/** What a `_category_` file of Docusaurus says of its folder. Plain data. */
export interface Category {
  readonly title: string | undefined;
  readonly order: number | undefined;
  readonly isCollapsed: boolean | undefined;
  /** What Docusaurus calls the page that the folder leads to, from the folder or the root; null = none. */
  readonly id: string | null | undefined;
}

const MAX_LENGTH = 100_000;
const FILE = /(?:^|\/)_category_\.(?:json|ya?ml)$/;

/** Returns whether a file says something of its folder. */
export function isCategoryFile(path: string): boolean {
  return FILE.test(path);
}

/** Reads a `_category_.json` or `.yml`. Returns why when it cannot be read. */
export async function readCategory(
  content: string,
): Promise<Category | { readonly reason: string; readonly line: number }> {
  // JSON is YAML, too.
  const parsed = await parseYaml(content, MAX_LENGTH);
  if ('reason' in parsed) return parsed;
  const data: Data = map(parsed.data) ?? {};
  const order = own(data, 'position');
  const collapsed = own(data, 'collapsed');
  const link = own(data, 'link');
  return {
    title: plainText(own(data, 'label')),
    order: typeof order === 'number' && Number.isFinite(order) ? order : undefined,
    isCollapsed: isFalse(own(data, 'collapsible')) ? false : typeof collapsed === 'boolean' ? collapsed : undefined,
    id: link === undefined ? undefined : own(map(link) ?? {}, 'type') === 'doc' ? text(own(map(link)!, 'id')) : null,
  };
}
