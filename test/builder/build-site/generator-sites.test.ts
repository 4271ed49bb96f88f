import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { fromHtml } from 'hast-util-from-html';
import { checkLinks } from '../../helpers/check-links.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';

/** Whole sites as their generators want them; beside each, what readers see. `UPDATE_SITES=1` writes it anew: read the difference. */
const SITES = fileURLToPath(new URL('../../../../test/fixtures/sites/', import.meta.url));
const UPDATE = process.env.UPDATE_SITES === '1';

for (const name of readdirSync(SITES).filter((entry) => !entry.endsWith('.txt'))) {
  test(`a site of ${name} shows its text, order and links without flags`, async (t) => {
    const repository = createRepository(t);
    cpSync(join(SITES, name), repository.folder, { recursive: true });
    repository.commit('Site');
    const site = createSite(t);
    const { errors, warnings } = await site.build(repository.folder, { title: 'Kettle' });
    t.deepEqual(errors, []);
    const found = [
      ...warnings.map(({ file, line, code, message }) => `${file}:${line} ${code}: ${message}`),
      ...describePages(site),
    ].join('\n');
    if (UPDATE) writeFileSync(join(SITES, `${name}.txt`), `${found}\n`);
    t.is(`${found}\n`, readFileSync(join(SITES, `${name}.txt`), 'utf8'));
    t.deepEqual(checkLinks(site.out).broken, []);
  });
}

/** Returns, for each page of the only version, its path, title, navigation and text. */
function describePages(site: TestSite): readonly string[] {
  const pages = site.list().filter((path) => /^[^/]+\/main\/.*\.html$/.test(path));
  return pages.flatMap((path) => {
    const tree = fromHtml(site.read(path));
    const [title, navigation, main] = [find(tree, isTag('title')), find(tree, isNavigation), find(tree, isTag('main'))];
    const moved = navigation === undefined;
    return [
      '',
      `## ${path}: ${readText(title)}`,
      ...(moved ? [] : [`Navigation: ${readText(navigation)}`]),
      readText(main),
    ];
  });
}

type Node = ReturnType<typeof fromHtml>['children'][number] | ReturnType<typeof fromHtml>;
type Test = (node: Node) => boolean;

const isTag =
  (name: string): Test =>
  (node) =>
    node.type === 'element' && node.tagName === name;
const isNavigation: Test = (node) =>
  node.type === 'element' && node.tagName === 'nav' && JSON.stringify(node.properties).includes('sidebar');

/** Tools that the theme adds to every page, and what a script may show later. */
const isOfTheme: Test = (node) =>
  node.type === 'element' && (Boolean(node.properties.hidden) || String(node.properties.className) === 'page-tools');

function find(node: Node, matches: Test): Node | undefined {
  if (matches(node)) return node;
  for (const child of 'children' in node ? node.children : []) {
    const found = find(child as Node, matches);
    if (found) return found;
  }
  return undefined;
}

/** Returns visible text, images as `[alt]`, with one space where there was any. */
function readText(node: Node | undefined): string {
  const read = (inner: Node): string => {
    if (inner.type === 'text') return inner.value;
    if (isOfTheme(inner)) return '';
    if (inner.type === 'element' && inner.tagName === 'img') return ` [${inner.properties.alt ?? ''}] `;
    return 'children' in inner ? ` ${inner.children.map((child) => read(child as Node)).join('')} ` : '';
  };
  return node ? read(node).replace(/\s+/g, ' ').trim() : '';
}
