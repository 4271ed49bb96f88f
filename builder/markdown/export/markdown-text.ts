/** Signs that `encodeURIComponent` leaves as they are. */
const ENCODED = new Map([
  ['(', '%28'],
  [')', '%29'],
]);

/** Returns a URL as it can stand between parentheses. */
export function encodeTarget(url: string): string {
  return url.replace(/[\s()<>\\|"`\0]/g, (sign) => ENCODED.get(sign) ?? encodeURIComponent(sign));
}

const SPECIAL = /[\\`*_[\]<&~|]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
/** Signs that a line with a meaning of its own begins with. */
const BEGINS = /^[#\-+*>:=[\d]/;
/** Beginnings of lines that mean something. */
const BEGINNING = /^(?:#{1,6}(?= |$)|[-+*](?= |$)|>|-{3,}|:(?= )|(?:=+|--) *$)/;

/** Where a text stands: at the beginning of a line, in a cell of a table, between the brackets of a link. */
interface TextPlace {
  readonly isFirst?: boolean;
  readonly inCell?: boolean;
  readonly inLink?: boolean;
}

/** Makes a text mean itself in Markdown, with as few signs as possible. */
export function escapeMarkdown(text: string, place: TextPlace = {}): string {
  let escaped = text;
  if (SPECIAL.test(text)) {
    escaped = text.replace(/[\\`*_[\]<&~|]/g, (sign, at: number) =>
      isSpecial(sign, text, at, place) ? `\\${sign}` : sign,
    );
  }
  // Letters, which most lines begin with, mean nothing there.
  if (!place.isFirst || !BEGINS.test(escaped)) return escaped;
  if (BEGINNING.test(escaped)) return `\\${escaped}`;
  return /^\[[ xX]\]/.test(escaped) ? `\\${escaped}` : escaped.replace(/^(\d{1,9})([.)])(?= |$)/, '$1\\$2');
}

/** Returns whether a sign would mean something; at the end of a text it is not known what follows. */
function isSpecial(sign: string, text: string, at: number, { inCell = false, inLink = false }: TextPlace): boolean {
  const [before, after] = [text[at - 1] ?? ' ', text[at + 1]];
  switch (sign) {
    case '`':
      return true;
    case '|':
      return inCell;
    case '\\':
      return after === undefined || PUNCTUATION.test(after);
    case '*':
      return before !== ' ' || after !== ' ';
    case '_':
      return after === undefined || !/[\p{L}\p{N}]/u.test(after) || !/[\p{L}\p{N}]/u.test(before);
    case '~':
      return after === undefined || !/[\d ]/.test(after);
    case '[':
      return inLink || after === '^';
    case ']':
      return inLink || after === undefined || '([:'.includes(after);
    case '<':
      return after === undefined || /[a-z/!?]/i.test(after);
    default:
      return /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i.test(text.slice(at, at + 40));
  }
}

/** Returns a text as code in a line. */
export function quoteCode(text: string, inCell: boolean): string {
  const line = text.replace(/[ \t\r\n]+/g, ' ');
  const marks = '`'.repeat(longestRun(line, '`') + 1);
  const space = line.startsWith('`') || line.endsWith('`') || line.trim() === '' ? ' ' : '';
  return `${marks}${space}${inCell ? line.replaceAll('|', '\\|') : line}${space}${marks}`;
}

/** Returns a block of code. */
export function fence(text: string, info: string): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text, '`') + 1));
  return `${marks}${info}\n${text}${text === '' ? '' : '\n'}${marks}`;
}

function longestRun(text: string, sign: string): number {
  let longest = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at)) {
    const start = at;
    while (text[at] === sign) at++;
    longest = Math.max(longest, at - start);
  }
  return longest;
}
