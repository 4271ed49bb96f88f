import type { Block, Word } from './block.ts';
import { eachPiece } from './cut-words.ts';

/** A page as it is compared, and where its parts stand in the document. */
export interface Reading {
  readonly page: Block;
  readonly sources: ReadonlyMap<Block, Source>;
  /** Of a page that stands in for one that is not translated; '' for all others. */
  readonly languageTag: string;
}

export interface Source {
  /** Undefined for sections, and for text that has no element of its own. */
  readonly element: Element | undefined;
  /** Where the words of the block stand. */
  readonly places: readonly Place[];
}

export interface Place {
  /** A text, or an element that is shown as a whole. */
  readonly node: Text | Element;
  readonly start: number;
  readonly end: number;
  /** Elements around it, inside the block, the outermost first. */
  readonly around: readonly Element[];
  /** A space follows. */
  readonly hasSpace: boolean;
}

/** The tools to read a page. */
export interface ReadOptions {
  /** Tells where a link leads in words that are equal if it leads to the same place in both versions. */
  nameLink(url: URL): string;
  readonly base: string;
}

/** Parts of the page that its author wrote. */
export const CONTENT = '#_content > :is(.hero, .features, article.prose, .closing)';
/** Elements that are no content, or the same for all readers: marks, buttons, lists made of headings. */
const SKIPPED =
  'script, style, link, meta, template, noscript, .anchor, .since, .code-tools, .line-numbers, .tab-input, .footnote-back, nav.toc, .toc, [hidden]';
/** Elements that are compared and shown as a whole. */
const ATOMS = new Set(
  'img picture math svg video audio iframe object embed canvas input select textarea button hr'.split(' '),
);
/** Blocks whose content is words, whatever is in them. */
const TEXTS = new Set('p h1 h2 h3 h4 h5 h6 dt summary caption figcaption label legend'.split(' '));
/** Blocks that readers do not see as such. */
const PLAIN = new Set('div section main article center thead tbody tfoot'.split(' '));
const CONTAINERS = new Set(
  'ul ol li dl dd table tr td th blockquote details figure fieldset form aside nav header footer address menu hgroup'.split(
    ' ',
  ),
);
const KINDS: Readonly<Record<string, string>> = { p: 'text', li: 'item', tr: 'row', td: 'cell', th: 'cell' };
/** How inline elements look, as far as a reader tells them apart. */
const LOOKS: Readonly<Record<string, string>> = {
  a: 'link',
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  cite: 'italic',
  code: 'code',
  kbd: 'key',
  samp: 'code',
  del: 'struck',
  s: 'struck',
  ins: 'under',
  u: 'under',
  mark: 'mark',
  sub: 'sub',
  sup: 'sup',
};

/** Reads a document of the site. Undefined where it has no content, since it is no page. */
export function readPage(document: Document, options: ReadOptions): Reading | undefined {
  const roots = [...document.querySelectorAll(CONTENT)];
  if (roots.length === 0) return undefined;
  const sources = new Map<Block, Source>();
  const blocks = roots.flatMap((root) => (root.localName === 'article' ? readChildren(root) : readBlock(root)));
  const { lang: languageTag = '' } = document.querySelector<HTMLElement>('#_content > article')!;
  return { page: createBlock('page', groupSections(blocks)), sources, languageTag };

  function createBlock(kind: string, children: readonly Block[], element?: Element): Block {
    const block: Block = { kind, words: [], children };
    sources.set(block, { element, places: [] });
    return block;
  }

  /** Returns the blocks in an element; what is between blocks becomes one, too. */
  function readChildren(parent: Element): readonly Block[] {
    const blocks: Block[] = [];
    let text = createText(options);
    const flush = (): void => {
      if (text.words.length > 0) blocks.push(finishText('text', text, undefined));
      text = createText(options);
    };
    const visit = (node: Node, around: readonly Element[], look: string, link: string): void => {
      for (const child of node.childNodes) {
        if (child.nodeType === 3) text.add(child as Text, around, look, link);
        if (child.nodeType !== 1) continue;
        const element = child as Element;
        const { localName } = element;
        if (element.matches(SKIPPED)) continue;
        if (ATOMS.has(localName)) text.addAtom(element, around, look, link);
        else if (TEXTS.has(localName) || PLAIN.has(localName) || CONTAINERS.has(localName) || localName === 'pre') {
          flush();
          blocks.push(...readBlock(element));
        } else {
          if (localName === 'br') text.addSpace();
          const [ownLook, ownLink] = describe(element, look, link);
          visit(element, [...around, element], ownLook, ownLink);
        }
      }
    };
    visit(parent, [], '', '');
    flush();
    return blocks;
  }

  function describe(element: Element, look: string, link: string): readonly [look: string, link: string] {
    const own = LOOKS[element.localName];
    const href = element.localName === 'a' ? element.getAttribute('href') : null;
    return [own && !look.includes(own) ? `${look} ${own}` : look, href === null ? link : resolveLink(href)];
  }

  function resolveLink(href: string): string {
    try {
      return options.nameLink(new URL(href, options.base));
    } catch {
      return href;
    }
  }

  function readBlock(element: Element): readonly Block[] {
    const { localName } = element;
    if (element.matches('.code-block, .diagram, pre')) return readCode(element);
    if (TEXTS.has(localName)) {
      const text = createText(options);
      readText(element, text, [], '', '');
      if (text.words.length === 0) return [];
      const kind = /^h\d$/.test(localName) ? 'heading' : (KINDS[localName] ?? localName);
      return [finishText(kind, text, element)];
    }
    const children = readChildren(element);
    // An empty cell keeps its column.
    if (children.length === 0 && !/^t[dh]$/.test(localName)) return [];
    if (PLAIN.has(localName) && !hasLook(element)) return children;
    return [createBlock(kindOf(element), localName === 'tr' ? children : groupSections(children), element)];
  }

  /** Adds all words in an element, also those in blocks. */
  function readText(parent: Node, text: TextReader, around: readonly Element[], look: string, link: string): void {
    for (const child of parent.childNodes) {
      if (child.nodeType === 3) text.add(child as Text, around, look, link);
      if (child.nodeType !== 1) continue;
      const element = child as Element;
      if (element.matches(SKIPPED)) continue;
      if (ATOMS.has(element.localName)) {
        text.addAtom(element, around, look, link);
        continue;
      }
      if (element.localName === 'br') text.addSpace();
      const [ownLook, ownLink] = describe(element, look, link);
      readText(element, text, [...around, element], ownLook, ownLink);
    }
  }

  /** Returns a block of code: its title, if it has one, and its lines. */
  function readCode(element: Element): readonly Block[] {
    const code = element.querySelector('pre code') ?? element.querySelector('pre') ?? element;
    const title = element.querySelector('.code-title');
    const titles: Block[] = [];
    if (title) {
      const text = createText(options);
      readText(title, text, [], '', '');
      if (text.words.length > 0) titles.push(finishText('title', text, title));
    }
    const lines: Block[] = [];
    let text = createText(options);
    const endLine = (): void => {
      text.trimEnd();
      lines.push(finishText('line', text, undefined));
      text = createText(options);
    };
    const visit = (node: Node, around: readonly Element[]): void => {
      for (const child of node.childNodes) {
        if (child.nodeType === 1) {
          if (!(child as Element).matches(SKIPPED)) visit(child, [...around, child as Element]);
          continue;
        }
        if (child.nodeType !== 3) continue;
        let start = 0;
        for (const line of (child as Text).data.split('\n')) {
          if (start > 0) endLine();
          text.addCode(child as Text, start, start + line.length, around);
          start += line.length + 1;
        }
      }
    };
    visit(code, []);
    if (text.words.length > 0) endLine();
    while (lines.length > 0 && lines.at(-1)!.words.length === 0) lines.pop();
    return lines.length + titles.length === 0 ? [] : [createBlock('code', [...titles, ...lines], element)];
  }

  function finishText(kind: string, { words, places }: TextReader, element: Element | undefined): Block {
    const block: Block = { kind, words, children: [] };
    sources.set(block, { element, places });
    return block;
  }

  /** Puts blocks that follow a heading, up to the next one of its level or above, into a section. */
  function groupSections(blocks: readonly Block[]): readonly Block[] {
    if (!blocks.some(({ kind }) => kind === 'heading')) return blocks;
    const top: Block[] = [];
    const open: { readonly level: number; readonly children: Block[] }[] = [];
    for (const block of blocks) {
      if (block.kind === 'heading') {
        const level = Number(sources.get(block)!.element!.localName[1]);
        while (open.length > 0 && open.at(-1)!.level >= level) open.pop();
        const children = [block];
        (open.at(-1)?.children ?? top).push(createBlock('section', children));
        open.push({ level, children });
      } else {
        (open.at(-1)?.children ?? top).push(block);
      }
    }
    return top;
  }
}

/** Boxes, tabs, cards: what has a class may have a look of its own. What it is called nobody sees. */
function hasLook(element: Element): boolean {
  return element.classList.length > 0 && !element.matches('.table-scroll, .footnotes');
}

function kindOf(element: Element): string {
  if (element.classList.contains('callout')) return 'callout';
  return KINDS[element.localName] ?? element.localName;
}

type TextReader = ReturnType<typeof createText>;

/** Collects the words of a text. Spaces are no words, save in code. */
function createText({ base }: ReadOptions) {
  const words: Word[] = [];
  const places: Place[] = [];
  const push = (word: Word, place: Place): void => {
    words.push(word);
    places.push(place);
  };
  const addSpace = (): void => {
    const last = places.at(-1);
    if (last && !last.hasSpace) places[places.length - 1] = { ...last, hasSpace: true };
  };
  return {
    words,
    places,
    addSpace,
    add(node: Text, around: readonly Element[], look: string, link: string): void {
      eachPiece(node.data, (text, start) => {
        if (text.trim() === '') addSpace();
        else push({ text, look, link }, { node, start, end: start + text.length, around, hasSpace: false });
      });
    },
    addAtom(element: Element, around: readonly Element[], look: string, link: string): void {
      const place = { node: element, start: 0, end: 0, around, hasSpace: false };
      push({ text: describeAtom(element, base), look, link }, place);
    },
    addCode(node: Text, from: number, to: number, around: readonly Element[]): void {
      eachPiece(node.data.slice(from, to), (text, start) => {
        const place = { node, start: from + start, end: from + start + text.length, around, hasSpace: false };
        push({ text, look: '', link: '' }, place);
      });
    },
    trimEnd(): void {
      while (words.at(-1)?.text.trim() === '') {
        words.pop();
        places.pop();
      }
    },
  };
}

/** Names an element by what is seen of it. */
function describeAtom(element: Element, base: string): string {
  const { localName } = element;
  if (localName === 'input') return `${localName} ${element.hasAttribute('checked')}`;
  if (localName === 'math') return `math ${element.textContent!.replace(/\s+/g, ' ')}`;
  if (localName === 'svg') return `svg ${element.outerHTML.replace(/\s(?:id|class|style)="[^"]*"|#[\w-]+/g, '')}`;
  const image = element.matches('img') ? element : element.querySelector('img');
  const source = (image ?? element).getAttribute('src') ?? '';
  // A picture that stands elsewhere is the same one; of its address, readers see nothing.
  const name =
    source.startsWith('data:') || !URL.canParse(source, base)
      ? source
      : new URL(source, base).pathname.split('/').pop();
  return `${localName} ${name} ${image?.getAttribute('alt') ?? ''} ${element.textContent!.replace(/\s+/g, ' ')}`;
}
