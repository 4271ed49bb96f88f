import type { ForeignElement, Meaning } from './meaning.ts';

/**
 * Returns what a tag of Hexo means, `{% name words %}`: its arguments are words in an order of their own, options `key:value`.
 * Undefined for other tags, and for those whose arguments are not Hexo's. Source: https://hexo.io/docs/tag-plugins
 */
export function findHexoMeaning({ name, body = '', named, isPaired }: ForeignElement): Meaning | undefined {
  // GitBook's and Liquid's arguments have names.
  if (!Object.hasOwn(TAGS, name) || named.size > 0) return undefined;
  return TAGS[name]!(splitWords(body), isPaired);
}

/** Splits arguments at blanks outside quotes, which are removed. */
function splitWords(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare!);
}

const HOST = /^(?:https?:)?\/\/\S/;
const OPTION = /^([a-z_]+):(.*)$/;
const SIZE = /^\d{1,5}(?:px|%)?$/;

const quote = (): Meaning => ({ as: 'quote', author: '' });

const TAGS: Readonly<Record<string, (words: readonly string[], isPaired: boolean) => Meaning | undefined>> = {
  note: readNote,
  blockquote: readQuote,
  quote: readQuote,
  pullquote: (_, isPaired) => (isPaired ? quote() : undefined),
  centerquote: (_, isPaired) => (isPaired ? quote() : undefined),
  cq: (_, isPaired) => (isPaired ? quote() : undefined),
  codeblock: (words, isPaired) => (isPaired ? readCode(words) : undefined),
  // Without arguments it is GitBook's, which stands around a fence.
  code: (words, isPaired) => (isPaired && words.length > 0 ? readCode(words) : undefined),
  img: readImage,
  asset_img: readImage,
  asset_link: ([file, ...title]) =>
    file === undefined
      ? undefined
      : { as: 'link', href: file, text: joinTitle(title) || file, isBlock: false, className: '' },
  post_link: ([post, ...title]) =>
    post === undefined
      ? undefined
      : {
          ...({ as: 'inline', tag: 'span', className: '', text: joinTitle(title) || post } as const),
          problem: `Posts are not published: the link to "${post}" is its text`,
        },
  link: readLink,
  iframe: ([url]) => readPlayer('', url),
  jsfiddle: ([id]) => readPlayer('https://jsfiddle.net/', id),
  gist: ([id]) => readPlayer('https://gist.github.com/', id),
  youtube: ([id]) => readPlayer('https://www.youtube.com/watch?v=', id),
  vimeo: ([id]) => readPlayer('https://vimeo.com/', id),
};

/** Classes of boxes in themes. */
const NOTE_KINDS: Readonly<Record<string, string>> = {
  note: 'note',
  default: 'note',
  info: 'info',
  primary: 'info',
  tip: 'tip',
  success: 'tip',
  important: 'important',
  warn: 'warning',
  warning: 'warning',
  caution: 'caution',
  danger: 'danger',
  error: 'danger',
};
/** How themes draw a box. */
const NOTE_STYLES = new Set(['no-icon', 'simple', 'modern', 'flat', 'disabled']);

/** Videos and the like from elsewhere become links. */
function readPlayer(base: string, id: string | undefined): Meaning | undefined {
  if (id === undefined) return undefined;
  const href = HOST.test(id) ? id : base + id;
  return { as: 'link', href, text: href, isBlock: true, className: '' };
}

/** `{% note warn Title %}`; without arguments it is any generator's. */
function readNote(words: readonly string[], isPaired: boolean): Meaning | undefined {
  if (!isPaired || words.length === 0) return undefined;
  const kind = Object.hasOwn(NOTE_KINDS, words[0]!) ? NOTE_KINDS[words[0]!] : undefined;
  const title = words.slice(kind === undefined ? 0 : 1).filter((each) => !NOTE_STYLES.has(each));
  const name = kind ?? 'note';
  return { as: 'callout', kind: name, name, title: title.join(' ') || undefined, isDetails: false };
}

/** `{% blockquote Author, Source https://… Title of the link %}` */
function readQuote(words: readonly string[], isPaired: boolean): Meaning | undefined {
  if (!isPaired) return undefined;
  const at = words.findIndex((word) => HOST.test(word));
  if (at < 0) return { as: 'quote', author: words.join(' ') };
  return { as: 'quote', author: words.slice(0, at).join(' '), href: words[at]!, text: words.slice(at + 1).join(' ') };
}

/** `{% codeblock Title lang:js https://… Text of the link mark:1,4-7 %}` */
function readCode(words: readonly string[]): Meaning {
  const options = new Map<string, string>();
  const rest: string[] = [];
  for (const word of words) {
    const [, key, value] = HOST.test(word) ? [] : (OPTION.exec(word) ?? []);
    if (key === undefined) rest.push(word);
    else options.set(key, value!);
  }
  const at = rest.findIndex((word) => HOST.test(word));
  const title = (at < 0 ? rest : rest.slice(0, at)).join(' ') || rest.slice(at + 1).join(' ');
  const language = options.get('lang') ?? '';
  const marks = options.get('mark') ?? '';
  const info = [
    /^[\w+#-]*$/.test(language) ? language : '',
    /^\d[\d,-]*$/.test(marks) ? `{${marks}}` : '',
    title === '' ? '' : `title="${title.replaceAll('"', "'")}"`,
  ];
  return { as: 'code', info: info.filter(Boolean).join(' '), text: undefined };
}

/** `{% img class /path.png 10 20 "Title 'Words for those who do not see it'" %}` */
function readImage(words: readonly string[]): Meaning | undefined {
  const at = words.findIndex((word) => /\/|\.[a-z]{2,5}\d?$/i.test(word));
  if (at < 0) return undefined;
  const rest = words.slice(at + 1);
  const sizes = rest.slice(0, 2).filter((word, index) => SIZE.test(word) && (index === 0 || SIZE.test(rest[0]!)));
  const text = rest.slice(sizes.length).join(' ');
  const alt = /['"]([^'"]*)['"]$/.exec(text)?.[1] ?? text;
  const [width, height] = sizes;
  return {
    as: 'image',
    attributes: {
      src: words[at]!,
      alt,
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
    },
    caption: '',
  };
}

/** `{% link Text https://… external Title %}`; Jekyll's has a single path. */
function readLink(words: readonly string[]): Meaning | undefined {
  const at = words.findIndex((word, index) => index > 0 && /^(?:[a-z]+:|\.{0,2}\/|#)/i.test(word));
  if (at < 0) return undefined;
  return { as: 'link', href: words[at]!, text: words.slice(0, at).join(' '), isBlock: false, className: '' };
}

/** The last argument may say whether signs of HTML in a title are escaped. */
function joinTitle(words: readonly string[]): string {
  return (/^(?:true|false)$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : words).join(' ');
}
