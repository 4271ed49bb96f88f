import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { contentKey } from '../../cache/content-key.ts';
import type { HomeModel } from '../../compose/page-model.ts';
import { encodeTarget, escapeMarkdown } from '../../markdown/export/markdown-text.ts';
import { fillMarkdown } from '../../markdown/export/places.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import { titlePage } from '../navigation/release-navigation.ts';
import type { PageRenderer } from '../pages/render-pages.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';

/** The parts of a page's Markdown. */
interface MarkdownParts {
  readonly renderer: Pick<PageRenderer, 'getMarkdown'>;
  readonly page: Page;
  readonly rendered: RenderedPage;
  /** Of the fragment's links. */
  readonly urls: readonly string[];
  readonly home: HomeModel | undefined;
  /** URL of the page in `latest`. */
  readonly canonical: string | undefined;
}

/** Plans the Markdown of a page. Nothing in it names the version: what is equal in several is stored once. */
export function planMarkdown(
  parts: MarkdownParts,
  { engineVersion }: { readonly engineVersion: string },
): { readonly key: string; readonly make: () => string } {
  const { page, rendered, urls, home } = parts;
  const { meta, language } = page;
  const title = titlePage(page, rendered);
  const canonical = isAbsoluteUrl(parts.canonical ?? '') ? parts.canonical : undefined;
  const key = contentKey(
    'markdown',
    engineVersion,
    rendered.key,
    urls.join('\n'),
    JSON.stringify([title, meta.description, meta.hidesTitle, language.tag, canonical, home]),
  );
  return { key, make: composeMarkdownLater({ ...parts, title, canonical }) };
}

/** Returns a function that composes the Markdown of a page; not nested in its caller, so that it retains nothing else of the release. */
function composeMarkdownLater({
  renderer,
  page,
  rendered,
  ...parts
}: MarkdownParts & { readonly title: string }): () => string {
  return () => {
    const { urls, title, home, canonical } = parts;
    const { meta, language } = page;
    const facts = [
      ['title', title],
      ['description', meta.description],
      ['canonical', canonical],
      ['language', language.tag],
    ] as const;
    // What JSON writes in quotes is the same in YAML.
    const matter = facts.flatMap(([name, value]) => (value ? [`${name}: ${JSON.stringify(value)}\n`] : []));
    const opening = home ? writeOpening(home) : '';
    const closing = home?.closing ? writeClosing(home.closing) : '';
    const heading = meta.hidesTitle || opening.startsWith('# ') ? '' : title;
    const text = fillMarkdown(renderer.getMarkdown(rendered), { urls, title: heading });
    return `---\n${matter.join('')}---\n\n${[opening, text, closing].filter(Boolean).join('\n')}`;
  };
}

/** Writes what a landing page shows above its text. */
function writeOpening({ name, text, tagline, image, actions, features }: HomeModel): string {
  const heading = [name, text].flatMap((words) => (words ? [plain(words)] : [])).join(': ');
  const blocks = [
    heading && `# ${heading}`,
    tagline && plain(tagline),
    image && `!${link(image.alt, image.url)}`,
    listActions(actions),
    ...features.flatMap(({ title, details, link: target }) => [
      `## ${plain(title)}`,
      plain(details),
      target && link(target.title || title, target.url),
    ]),
  ];
  return joinBlocks(blocks);
}

/** Writes the call that closes a landing page. */
function writeClosing({ title, text, actions }: NonNullable<HomeModel['closing']>): string {
  return joinBlocks([`## ${plain(title)}`, text && plain(text), listActions(actions)]);
}

function joinBlocks(blocks: readonly (string | undefined)[]): string {
  return blocks.flatMap((block) => (block ? [`${block}\n`] : [])).join('\n');
}

function oneLine(words: string): string {
  return words.replace(/\s+/g, ' ').trim();
}

function plain(words: string): string {
  return escapeMarkdown(oneLine(words), { isFirst: true });
}

function link(title: string, url: string): string {
  return `[${escapeMarkdown(oneLine(title), { inLink: true })}](${encodeTarget(url)})`;
}

function listActions(actions: HomeModel['actions']): string {
  return actions.map(({ title, url }) => `- ${link(title, url)}`).join('\n');
}
