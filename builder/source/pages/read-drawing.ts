import { decodeHTML } from 'entities';
import { escapeHtml } from '../../../lib/html-text.ts';

/** Longest drawing, in characters. */
const MAX_LENGTH = 20_000;

const ELEMENTS: ReadonlySet<string> = new Set(
  'svg g path circle ellipse rect line polyline polygon defs linearGradient radialGradient stop clipPath mask title'.split(
    ' ',
  ),
);
const ATTRIBUTES: ReadonlySet<string> = new Set(
  [
    'viewBox width height x y x1 y1 x2 y2 cx cy r rx ry fx fy d points transform id offset opacity',
    'fill fill-opacity fill-rule clip-rule clip-path mask stroke stroke-width stroke-linecap stroke-linejoin stroke-opacity',
    'stroke-dasharray stroke-dashoffset stroke-miterlimit stop-color stop-opacity gradientUnits gradientTransform',
    'preserveAspectRatio maskUnits color',
  ]
    .join(' ')
    .split(' '),
);
const TOKEN =
  /<!--[\s\S]*?-->|<(?<closes>\/?)(?<name>[a-zA-Z]+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<isEmpty>\/?)>|(?<text>[^<]+)/y;

/**
 * Returns a drawing for HTML: shapes and colours of the given SVG, rewritten from allowed elements and attributes. Returns undefined if it
 * has other elements, is not well-formed or too long; other attributes are left out.
 */
export function readDrawing(svg: string): string | undefined {
  const source = svg.trim();
  if (source.length > MAX_LENGTH) return undefined;
  const open: string[] = [];
  let written = '';
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const groups = TOKEN.exec(source)?.groups;
    if (!groups) return undefined;
    const { closes, name, attributes = '', isEmpty, text } = groups;
    const isFirst = written === '';
    if (text !== undefined) {
      if (open.at(-1) === 'title') written += escapeHtml(decodeHTML(text));
      else if (text.trim() !== '') return undefined;
    } else if (name !== undefined) {
      // Only one element stands outside of all others.
      if (
        !ELEMENTS.has(name) ||
        (name === 'svg') !== (open.length === (closes ? 1 : 0)) ||
        (open.length === 0 && !isFirst)
      ) {
        return undefined;
      }
      if (closes) {
        if (open.pop() !== name) return undefined;
        written += `</${name}>`;
      } else {
        written += `<${name}${writeAttributes(attributes)}>`;
        if (isEmpty) written += `</${name}>`;
        else open.push(name);
      }
    }
  }
  return written !== '' && open.length === 0 ? written : undefined;
}

function writeAttributes(attributes: string): string {
  return [...attributes.matchAll(/(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
    .map(([, name, double, single]) => [name!, double ?? single ?? ''] as const)
    .filter(
      ([name, value]) =>
        ATTRIBUTES.has(name) &&
        /^(?:[^(&:;]|url\(#[\w-]+\)|(?:rgb|hsl|rotate|translate|scale|matrix|skew[XY])a?\()*$/.test(value),
    )
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
}
