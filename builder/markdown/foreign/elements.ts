import { findCalloutKind, findNearestKind } from '../syntax/callouts.ts';
import { findHexoMeaning } from './hexo.ts';
import type { ForeignElement, Meaning } from './meaning.ts';
import { readTabLabels, readTabTitles } from './tab-titles.ts';

type Describe = (attributes: Attributes) => Meaning | undefined;

/** The attributes of an element, by the names that generators use for the same thing. */
interface Attributes {
  readonly element: ForeignElement;
  readonly key: string;
  get(...names: string[]): string | undefined;
  readonly first: string | undefined;
  readonly title: string | undefined;
}

/** Elements by their names, without capitals, hyphens and slashes. */
const meanings = new Map<string, Describe>();

function define(names: string, describe: Describe): void {
  for (const name of names.split(' ')) meanings.set(name, describe);
}

define('comment head metadata seo', () => ({ as: 'nothing' }));
/** A drawing beside words that say the same. */
define('icon', ({ get }) => {
  const text = get('label', 'title', 'alt');
  return text === undefined ? { as: 'nothing' } : { as: 'inline', tag: 'span', className: '', text };
});
define(
  'fragment span div p center translate raw html nomarkdown verbatim markdown md clientonly client if unless for else elsif ' +
    'elseif case when liquid noformat content main layout cardcontainer bleed',
  () => ({ as: 'content' }),
);
define('toc tocinline tableofcontents', () => ({ as: 'toc' }));
define('include readfile includemarkdown', ({ get, first }) => {
  const path = get('file', 'path', 'src') ?? first;
  return path === undefined ? undefined : { as: 'include', path };
});
/** Without an effect on what they hold; on their own they have nothing for readers, but their properties may. */
define('fieldgroup codecollapse codepreview', (attributes) => paired(attributes, { as: 'content' }));
/** A list whose signs are icons. */
define('list', (attributes) => {
  const isOfIcons = [...attributes.element.named.keys()].every((name) => name === 'type' || name === 'icon');
  return isOfIcons ? paired(attributes, { as: 'content' }) : undefined;
});
const readDetails = (attributes: Attributes): Meaning | undefined => {
  const title = attributes.title ?? attributes.get('name') ?? attributes.first;
  return paired(attributes, { as: 'callout', kind: 'details', name: 'details', title, isDetails: true });
};
define('details expand expandable collapse collapsible accordionitem spoiler toggle dropdown disclosure', readDetails);
/** In some generators it stands around others, and has no title. */
define('accordion', (attributes) => {
  const details = readDetails(attributes);
  return details?.as === 'callout' && details.title === undefined ? { as: 'content' } : details;
});
define('alert callout admonition aside hint notice message pageinfo banner infobox notification', (attributes) => {
  const { key, element, get, first } = attributes;
  const kind = findNearestKind(get('type', 'kind', 'style', 'color', 'variant', 'level', 'status') ?? first ?? '');
  const title = attributes.title ?? (key === 'pageinfo' ? '' : element.positional[1]);
  return paired(attributes, { as: 'callout', kind, name: kind, title, isDetails: false });
});
define('quote blockquote', (attributes) => {
  const author = attributes.get('author', 'by', 'cite', 'source') ?? attributes.first ?? '';
  return paired(attributes, { as: 'quote', author });
});
const readTabs = ({ get, key }: Attributes): Meaning => ({
  as: 'tabs',
  code: key === 'tabpane' && get('text') !== 'true' ? (get('lang') ?? '') : undefined,
  syncKey: get('groupid', 'synckey') ?? '',
  labels: readTabLabels(get('values') ?? ''),
  titles: readTabTitles(get('items') ?? ''),
  selected: get('defaultvalue', 'defaultindex'),
});
define('tabs tabgroup tabset tabbedpanel tabbedpanels codegroup codetabs tabpane', readTabs);

const readTab = ({ get, first, element }: Attributes): Meaning => ({
  as: 'tab',
  title: get('label', 'header', 'title', 'name', 'tabname', 'value', 'lang') ?? first ?? '',
  name: element.name,
  value: get('value') ?? '',
  isDefault: get('default') === 'true',
  isMarkdownTitle: element.syntax === 'shortcode',
  language: get('lang', 'language'),
  isText: get('text') === 'true',
  isHeading: get('disabled') === 'true',
});
/** A box without any other properties. */
const box = (
  { element }: Attributes,
  given: { readonly className: string } & Partial<Extract<Meaning, { as: 'box' }>>,
) => ({
  ...({ as: 'box', title: '', href: '', text: '', footer: '', code: undefined } as const),
  isMarkdownTitle: element.syntax === 'shortcode',
  ...given,
});
define('tab tabitem tabsitem tabpanel codegroupitem codetab tabstab', readTab);
for (const kind of ['folder', 'file']) {
  define(`filetree${kind}`, ({ get, first }) => ({
    as: 'entry',
    name: get('name') ?? first ?? '',
    isFolder: kind === 'folder',
  }));
}
define('card linkcard featurecard griditemcard cardscard pagecard pagefeature', (attributes) => {
  const { title, first, get } = attributes;
  const header = get('header');
  const below = [header && get('title'), get('subtitle'), get('description', 'text', 'body')];
  return box(attributes, {
    className: 'card',
    title: header ?? title ?? first ?? '',
    href: get('href', 'url', 'link', 'to') ?? '',
    text: below.filter(Boolean).join('  \n'),
    footer: get('footer') ?? '',
    code: get('code') === 'true' ? (get('lang') ?? '') : undefined,
  });
});
define(
  'step steps cards cardgrid cardgroup cardpane cardlist linkgrid columns column col row grid griditem section container stepper filetree ' +
    'frame terminal blockscover blockssection blockslead blocksfeature',
  (attributes) => {
    const { key, title = '', get } = attributes;
    const href = (key === 'blocksfeature' && get('url')) || '';
    return box(attributes, { className: key, title, href, text: get('caption', 'subtitle') ?? '' });
  },
);
/** Parts of landing pages of Nuxt UI and Docus. */
define('pagehero pagesection pagecta blockhero', (attributes) =>
  box(attributes, { className: 'section', title: attributes.title ?? '', text: attributes.get('description') ?? '' }),
);
define('pagegrid pagecolumns', (attributes) => box(attributes, { className: 'cardgrid' }));
/** A parameter of a function or of an API, with what it is for. */
define('field paramfield responsefield', (attributes) => {
  const { get, first } = attributes;
  const [type, initial] = [get('type'), get('default')];
  const isRequired = get('required') === 'true';
  const about = [type && `\`${type}\``, isRequired && '`required`', initial && `= \`${initial}\``].filter(Boolean);
  const name = get('name', 'path', 'query', 'body', 'header') ?? first ?? '';
  return paired(attributes, box(attributes, { className: 'field', title: name, text: about.join(' · ') }));
});
/** From the Rust book: code with its file's name above and a caption below. */
define('listing', (attributes) => {
  const { key, get } = attributes;
  const number = get('number');
  const text = [number && `Listing ${number}`, get('caption')].filter(Boolean).join(': ');
  return box(attributes, { className: key, title: get('file-name', 'filename') ?? '', text });
});
define(
  'img image imgproc figure picture lightbox screenshot themedimage colormodeimage thumbnail',
  ({ get, first, key, title }) => {
    const src = get('src', 'url', 'image', 'path', 'light') ?? first;
    if (src === undefined) return undefined;
    const caption = [key === 'figure' ? title : undefined, get('caption'), get('attr')].filter(Boolean).join(' – ');
    const attributes = { src, alt: withoutMarks(get('alt') ?? (caption || (title ?? ''))) };
    const sizes = ['width', 'height'].map((name) => [name, get(name) ?? ''] as const);
    return {
      as: 'image',
      attributes: {
        ...attributes,
        ...Object.fromEntries(sizes.filter(([, value]) => /^\d{1,5}(?:px|%)?$/.test(value))),
      },
      caption,
    };
  },
);
for (const [name, base] of [
  ['youtube', 'https://www.youtube.com/watch?v='],
  ['youtubelite', 'https://www.youtube.com/watch?v='],
  ['videoaccordion', 'https://www.youtube.com/watch?v='],
  ['vimeo', 'https://vimeo.com/'],
  ['gist', 'https://gist.github.com/'],
  ['asciinema', 'https://asciinema.org/a/'],
  ['codepen', 'https://codepen.io/'],
  ['stackblitz', 'https://stackblitz.com/edit/'],
  ['embed', ''],
  ['video', ''],
] as const) {
  define(name, ({ element, get, title }) => {
    const host = get('platform') === 'vimeo' ? 'https://vimeo.com/' : base;
    const target = get('id', 'videoid', 'url', 'src', 'href') ?? element.positional.slice(0, 2).join('/');
    if (target === '') return undefined;
    const href = /^(?:[a-z]+:)?\/\/|^[./]/i.test(target) ? target : host + target;
    return { as: 'link', href, text: title ?? get('caption') ?? href, isBlock: true, className: '' };
  });
}
define('ref relref', ({ get, first }) => {
  const target = get('path') ?? first;
  return target === undefined ? undefined : { as: 'link', href: target, text: target, isBlock: false, className: '' };
});
/** GitBook's `{% content-ref url="a.md" %}` holds the link, too. */
define('contentref', ({ element, get }) => {
  const href = get('url');
  if (element.isPaired) return { as: 'content' };
  return href === undefined ? undefined : { as: 'link', href, text: href, isBlock: true, className: '' };
});
define(
  'link button btn linkbutton a pagelink pageref localizedlink routerlink navlink nuxtlink',
  ({ get, first, title, key }) => {
    const href = get('href', 'url', 'link', 'to', 'relref', 'page', 'path') ?? first;
    if (href === undefined) return undefined;
    const isFirst = (get('variant') ?? (key === 'linkbutton' ? 'primary' : '')) === 'primary';
    const className = !/^(?:link)?button$|^btn$/.test(key) ? '' : isFirst ? 'button primary' : 'button';
    return { as: 'link', href, text: get('text', 'content') ?? title ?? href, isBlock: false, className };
  },
);
/** Of a plugin of GitBook: the name of the file that the code below stands in. */
define('filename', ({ element }) =>
  element.syntax === 'statement' && element.isPaired ? { as: 'content' } : undefined,
);
/** GitBook's `{% file src="…" %}`: something to download, shown by its name. */
define('file', ({ element, get }) => {
  const href = get('src');
  if (element.syntax !== 'statement' || href === undefined) return undefined;
  return {
    as: 'link',
    href,
    text: get('caption') ?? href.slice(href.lastIndexOf('/') + 1),
    isBlock: true,
    className: '',
  };
});
define('badge', ({ get, first, title }) => {
  const className = `badge ${findBadgeKind(get('type', 'variant', 'color', 'kind') ?? '')}`;
  return { as: 'inline', tag: 'span', className, text: get('text', 'content') ?? title ?? first ?? '' };
});
define('kbd', ({ get, first }) => ({
  as: 'inline',
  tag: 'kbd',
  className: '',
  text: get('text', 'value') ?? first ?? '',
}));
define('highlight codeblock code prism codetoggle', (attributes) => {
  const { element, key, get, first, title } = attributes;
  if (element.name === 'code-block') return readTab(attributes);
  // `<Highlight>` in Docusaurus' examples marks text.
  if (element.syntax === 'component' && key === 'highlight')
    return { as: 'inline', tag: 'mark', className: '', text: '' };
  const text = get('code');
  // GitBook's `{% code title="a.js" %}` stands around a fenced block.
  if (element.syntax === 'statement' && element.name === 'code') {
    return title === undefined ? { as: 'content' } : box(attributes, { className: 'listing', title });
  }
  if (!element.isPaired && text === undefined) return undefined;
  const file = title ?? get('file', 'filename');
  const name = (get('lang', 'language') ?? first ?? '').replace(/^language-/, '');
  const settings = ['hl_lines', 'linenos', 'linenostart'].flatMap((key) => (get(key) ? [`${key}="${get(key)}"`] : []));
  const info = [
    /^[\w+#-]*$/.test(name) ? name : '',
    file ? `title="${file.replaceAll('"', "'")}"` : '',
    ...settings,
    get('showlinenumbers') === 'true' ? 'showLineNumbers' : '',
    get('metastring') ?? '',
    element.syntax === 'shortcode' ? `{${(element.positional[1] ?? '').replace(/[{}]/g, '')}}` : '',
  ];
  return { as: 'code', info: info.filter(Boolean).join(' '), text };
});

for (const [names, info] of [
  ['mermaid', 'mermaid'],
  ['math katex latex', 'math'],
] as const) {
  define(names, ({ element, get }) => {
    const text = get('value', 'chart', 'code');
    return element.isPaired || text !== undefined ? { as: 'code', info, text } : undefined;
  });
}

const BADGE_KINDS = new Map([
  ...['info', 'tip', 'warning', 'danger'].map((kind) => [kind, kind] as const),
  ...[
    ['note', 'info'] as const,
    ['default', 'info'] as const,
    ['success', 'tip'] as const,
    ['caution', 'warning'] as const,
    ['error', 'danger'] as const,
  ],
]);

/** Returns the kind of badge that a type or variant means. */
export function findBadgeKind(name: string): string {
  return BADGE_KINDS.get(name) ?? 'tip';
}

/** Returns what an element means, or undefined for one that only its own project knows. */
export function findMeaning(element: ForeignElement): Meaning | undefined {
  const key = element.name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const ofHexo = element.syntax === 'statement' ? findHexoMeaning(element) : undefined;
  const get = (...names: string[]) => names.map((name) => element.named.get(name)).find((value) => value);
  const title = get('title', 'header', 'heading', 'summary', 'label');
  const attributes: Attributes = { element, key, get, first: element.positional[0], title };
  const known = ofHexo ?? meanings.get(key)?.(attributes);
  if (known !== undefined) return known;
  const kind = findCalloutKind(key);
  return kind === undefined
    ? undefined
    : paired(attributes, { as: 'callout', kind, name: key, title, isDetails: false });
}

/** Attributes of an unknown element that contain words for readers. */
const SHOWN = [
  'title',
  'header',
  'label',
  'text',
  'content',
  'summary',
  'caption',
  'description',
  'message',
  'command',
];

/** A longer text keeps its Markdown syntax. */
const MAX_MARKED = 2_000;

/** Returns Markdown as the text that it shows. */
export function withoutMarks(text: string): string {
  if (text.length > MAX_MARKED || !/[`*_[]/.test(text)) return text;
  return text
    .replace(/(?<!`)(`+)([^`]+)\1/g, '$2')
    .replace(/!?\[([^[\]]*)\](?:\([^()\s]*\)|\{[^{}]*\})/g, '$1')
    .replace(/(\*\*|__)(?=\S)([^*_]*[^*_\s])\1/g, '$2')
    .replace(/(?<![\w*])([*_])(?=\S)([^*_]*[^*_\s])\1(?![\w*])/g, '$2');
}

/** Returns the words that an unknown element without content shows. */
export function findShownText(element: ForeignElement): string {
  const texts = SHOWN.map((name) => element.named.get(name)).filter((text) => text !== undefined && text !== '');
  return [...new Set(texts)].join(': ');
}

function paired(attributes: Attributes, meaning: Meaning): Meaning | undefined {
  return attributes.element.isPaired ? meaning : undefined;
}
