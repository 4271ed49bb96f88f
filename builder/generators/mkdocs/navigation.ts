import { append } from '../../../lib/append.ts';
import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { list, map, own, text } from '../../config/data-values.ts';
import type { ReadFile } from '../../config/parse-script.ts';
import {
  createNavBuilder,
  type GeneratorNavigation,
  type NavItem,
  type NavigationFormat,
  plainText,
} from '../shared/navigation-items.ts';
import { readSummary } from '../shared/summary.ts';
import { readMkdocsConfig } from './config.ts';

/** Limit of warnings about a configuration; more have one cause. */
const MAX_NOTES = 20;
const INDEX = /(?:^|\/)(?:index|readme)\.(?:md|markdown)$/i;

/** MkDocs: `nav` of its configuration, or a `SUMMARY.md` as plugins read it. */
export const navigation: NavigationFormat = {
  listFiles: ({ home }) => [`${home}mkdocs.yml`, `${home}mkdocs.yaml`],
  async read(file, { content }, read) {
    const navigation = await readMkdocs(file, content, read);
    const summary =
      navigation && Object.keys(navigation.languages).length > 0 ? undefined : await read(`${content}SUMMARY.md`);
    if (summary === undefined) return navigation;
    const listed = readSummary(summary, `${content}SUMMARY.md`);
    return { ...listed, notes: [...(navigation?.notes ?? []), ...listed.notes] };
  },
};

/**
 * Reads `nav` of a `mkdocs.yml`; `folder` is that of its pages from the repository's root, with a final `/`. Returns undefined
 * when there is neither a `nav` nor anything to warn of.
 */
async function readMkdocs(file: string, folder: string, read: ReadFile): Promise<GeneratorNavigation | undefined> {
  const builder = createNavBuilder();
  const found = await readMkdocsConfig(file, read);
  if ('reason' in found) {
    builder.skip(found, `Navigation left out: the file is not valid YAML: ${found.reason}`);
    return { languages: {}, isComplete: false, notes: builder.notes };
  }
  append(builder.notes, found.notes.slice(0, MAX_NOTES));
  const { data: settings, placeOf } = found;
  const nav = own(settings, 'nav');
  if (!Array.isArray(nav))
    return builder.notes.length === 0 ? undefined : { languages: {}, isComplete: true, notes: builder.notes };
  const features = list(own(map(own(settings, 'theme')) ?? {}, 'features'));
  const hasIndexes = features.includes('navigation.indexes');
  const items = readItems(nav, ['nav'], 0);
  return { languages: { '': items }, isComplete: builder.isComplete, notes: builder.notes };

  function readItems(entries: readonly unknown[], path: readonly PropertyKey[], depth: number): readonly NavItem[] {
    return entries.flatMap((entry, index) => readItem(entry, [...path, index], depth));
  }

  function readItem(entry: unknown, path: readonly PropertyKey[], depth: number): readonly NavItem[] {
    const place = placeOf(path);
    if (typeof entry === 'string') return readPage(undefined, entry, depth, place);
    return Object.entries(map(entry) ?? {}).flatMap(([name, value]) => {
      const title = plainText(name);
      if (!Array.isArray(value)) return text(value) === undefined ? [] : readPage(title, text(value)!, depth, place);
      const children = readItems(value, [...path, name], depth + 1);
      const own = hasIndexes ? children.findIndex(isIndex) : -1;
      const item = { title, target: children[own]?.target, children: children.filter((_, at) => at !== own), place };
      return builder.add(item, depth);
    });
  }

  function readPage(
    title: string | undefined,
    path: string,
    depth: number,
    place: NavItem['place'],
  ): readonly NavItem[] {
    // A plugin replaces this with all pages that are not named elsewhere.
    if (path.startsWith('...')) {
      builder.isComplete = false;
      return [];
    }
    const isUrl = isAbsoluteUrl(path) || path.startsWith('/');
    // Plugins take a folder, or all pages in it, for a group.
    const [, all] = isUrl ? [] : (/^(.*\/|)(?:\*{1,2}(?:\.md)?)?$/.exec(path) ?? []);
    if (all !== undefined) {
      const inside = builder.add(
        { title: undefined, children: [], folder: all.replace(/^\.\//, ''), place },
        depth + 1,
      );
      return title === undefined ? inside : builder.add({ title, children: inside, place }, depth);
    }
    const target = isUrl ? ({ kind: 'address', path } as const) : ({ kind: 'file', path: folder + path } as const);
    return builder.add({ title, target, children: [], place }, depth);
  }
}

function isIndex({ target, children }: NavItem): boolean {
  return target?.kind === 'file' && children.length === 0 && INDEX.test(target.path);
}
