import { decodeHTMLAttribute, decodeXML } from 'entities';
import { Tokenizer } from 'htmlparser2';
import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { LinkSlot } from '../../model.ts';
import { createLineCounter, type Mark, openAttribute, openStyles } from './open-addresses.ts';

/** A file that may refer to other files. */
export type DocumentType = 'css' | 'html' | 'svg';

/** A file whose references are slots: as in `Fragment`, odd items of `text.split('\0')` are numbers of references. */
export interface OpenDocument {
  readonly text: string;
  /** Each URL once, by kind, with its first line. */
  readonly references: readonly LinkSlot[];
}

/** A URL with a placeholder for a script or a template engine. */
const TEMPLATE = /\{\{|\{%|\$\{|<%/;

/**
 * Replaces the references in a style sheet, an HTML page or a drawing with slots. URLs with a scheme or host stay,
 * except for style sheets and fonts in a style sheet, and so does everything in a page with `<base>` and in a text that contains NUL. Never throws.
 */
export function openDocument(text: string, type: DocumentType): OpenDocument {
  const references: LinkSlot[] = [];
  const places = new Map<string, number>();
  const lines = createLineCounter(text);
  const mark: Mark = (kind, url, at, use) => {
    if (url === '' || url.startsWith('#') || TEMPLATE.test(url)) return undefined;
    // Of other hosts, only style sheets and fonts of style sheets matter: whether they may be asked is decided later.
    if (isAbsoluteUrl(url) && (use === undefined || type !== 'css')) return undefined;
    const known = places.get(`${kind} ${url}`);
    const line = lines(at);
    const place = known ?? references.push({ kind, url, line }) - 1;
    places.set(`${kind} ${url}`, place);
    return `\0${place}\0`;
  };
  if (text.includes('\0')) return { text, references };
  const opened = type === 'css' ? openStyles(text, mark) : openMarkup(text, type === 'svg', mark);
  return opened === undefined ? { text, references: [] } : { text: opened, references };
}

/** Undefined if the document itself sets the base of its URLs. */
function openMarkup(text: string, isXml: boolean, mark: Mark): string | undefined {
  let opened = '';
  let copied = 0;
  let hasBase = false;
  let element = '';
  let attributes: { name: string; start: number; end: number; value: string }[] = [];
  let valueStart = -1;
  let valueEnd = -1;
  let styleStart = -1;
  const decode = isXml ? decodeXML : decodeHTMLAttribute;
  const replace = (start: number, end: number, by: string): void => {
    opened += text.slice(copied, start) + by;
    copied = end;
  };
  const endTag = (end: number, isOpen: boolean): void => {
    const rel = attributes.find(({ name }) => name === 'rel')?.value;
    if (element === 'base' && attributes.some(({ name }) => name === 'href')) hasBase = true;
    for (const { name, start, value, ...place } of attributes) {
      const marked = openAttribute({ element, name, value, rel }, (kind, url) => mark(kind, url, start));
      if (marked !== undefined) replace(start, place.end, `"${marked}"`);
    }
    if (element === 'style' && isOpen) styleStart = end + 1;
  };
  const endStyle = (end: number): void => {
    if (styleStart < 0) return;
    // In a drawing, elements may be inside an unclosed style sheet.
    const start = Math.max(styleStart, copied);
    replace(
      start,
      end,
      openStyles(text.slice(start, end), (kind, url, at) => mark(kind, url, start + at)),
    );
    styleStart = -1;
  };
  const tokenizer = new Tokenizer(
    { xmlMode: isXml, decodeEntities: false, recognizeSelfClosing: true },
    {
      onopentagname(start, end) {
        element = text.slice(start, end).toLowerCase();
        attributes = [];
      },
      onattribname(start, end) {
        attributes.push({ name: text.slice(start, end).toLowerCase(), start: -1, end: -1, value: '' });
        valueStart = -1;
      },
      onattribdata(start, end) {
        if (valueStart < 0) valueStart = start;
        valueEnd = end;
      },
      onattribend(_quote, end) {
        if (valueStart < 0) return;
        const isQuoted = end > valueEnd;
        const attribute = attributes.at(-1)!;
        attribute.start = isQuoted ? valueStart - 1 : valueStart;
        attribute.end = end;
        attribute.value = decode(text.slice(valueStart, valueEnd));
      },
      onopentagend: (end) => endTag(end, true),
      onselfclosingtag: (end) => endTag(end, !isXml),
      onclosetag(start, end) {
        if (text.slice(start, end).toLowerCase() === 'style') endStyle(start - 2);
      },
      onprocessinginstruction(start, end) {
        const match = /^\??xml-stylesheet\s[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(text.slice(start, end));
        const value = match?.[1] ?? match?.[2];
        const marker = value === undefined ? undefined : mark('image', decodeXML(value), start);
        if (marker === undefined) return;
        const valueAt = start + match![0].length - 1 - value!.length;
        replace(valueAt - 1, valueAt + value!.length + 1, `"${marker}"`);
      },
      onattribentity() {},
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onend() {},
      ontext() {},
      ontextentity() {},
    },
  );
  tokenizer.write(text);
  tokenizer.end();
  endStyle(text.length);
  return hasBase ? undefined : opened + text.slice(copied);
}
