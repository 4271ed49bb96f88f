export interface FenceInfo {
  /** Lower-case; '' = none. */
  readonly language: string;
  readonly title: string | undefined;
  /** Title of the tab that the block is in a group with its neighbours. */
  readonly tab: string | undefined;
  /** Lines to highlight, from 1, as ranges. */
  readonly highlighted: readonly LineRange[];
  readonly inserted: readonly LineRange[];
  readonly deleted: readonly LineRange[];
  /** Number of the first line, or undefined when lines are not numbered. */
  readonly numbersFrom: number | undefined;
  readonly id: string | undefined;
  readonly classes: readonly string[];
  /** The code has instructions for Twoslash, see `cutTwoslash`, or is only there to be included in other blocks. */
  readonly twoslash: 'shown' | 'included' | undefined;
}

/** A range of lines, inclusive. */
export type LineRange = readonly [first: number, last: number];

/**
 * Reads a fence's info string: `js{1,4-6}:line-numbers=5 [name.js] title="x"` as in VitePress and Docusaurus,
 * `js {1} ins={2} del={3-4} mark={5}` as in Starlight (Expressive Code), `py title="x" hl_lines="2 3-4" linenums="1"` and `{ .py title="x" }` as in MkDocs.
 */
export function parseFenceInfo(info: string): FenceInfo {
  const text = removeFlags(info.trim());
  const plain = /^[\w+#.-]*$/.exec(text);
  if (plain) return { ...PLAIN, language: toLanguage(text) };
  const braced = text.startsWith('{') ? findBracedName(text) : undefined;
  const name = braced ?? /^[^\s{}[\]:="']*/.exec(text)![0];
  const rest = braced === undefined ? text.slice(name.length) : text;
  const isSetting = name !== '' && rest.startsWith('=');
  const settings = isSetting ? text : rest;
  const listed = /hl_lines=\[([^[\]]*)\]/.exec(settings)?.[1]?.replace(/["']/g, '');
  const braces = readBraces(settings);
  const ranges = listed ?? braces.highlighted ?? findSetting(settings, 'hl_lines');
  const title =
    findSetting(settings, 'title') ?? findSetting(settings, 'filename') ?? /(?:^|\s)\[([^[\]]+)\]/.exec(settings)?.[1];
  return {
    language: isSetting ? '' : toLanguage(name),
    title: title?.trim() || undefined,
    tab: findSetting(settings, 'tab')?.trim() || undefined,
    highlighted: parseLineRanges(ranges),
    inserted: parseLineRanges(braces.inserted),
    deleted: parseLineRanges(braces.deleted),
    numbersFrom: findFirstNumber(settings),
    ...readNames(rest, braced),
    twoslash: readTwoslash(text),
  };
}

const PLAIN: FenceInfo = {
  language: '',
  title: undefined,
  tab: undefined,
  highlighted: [],
  inserted: [],
  deleted: [],
  numbersFrom: undefined,
  id: undefined,
  classes: [],
  twoslash: undefined,
};

/** Reads `ts twoslash`, `twoslash include name` and `ts twoslash include name`. */
function readTwoslash(text: string): FenceInfo['twoslash'] {
  const found = /(?:^|\s)twoslash(?:\s+(include)\s+\S|\s|$)/.exec(text);
  return found ? (found[1] === undefined ? 'shown' : 'included') : undefined;
}

/** Reads `{.class #id}`, of which Pandoc and MkDocs take the first class for the language. */
function readNames(text: string, language: string | undefined): Pick<FenceInfo, 'id' | 'classes'> {
  const names = /(?:^|\s)\{([^{}]*)\}/.exec(text)?.[1]?.split(/\s+/) ?? [];
  const read = (sign: string): string[] =>
    names.filter((name) => name.startsWith(sign) && /^[#.][^\s{}#."'=<>]+$/.test(name)).map((name) => name.slice(1));
  return { id: read('#')[0], classes: read('.').filter((name) => name !== language) };
}

/** Pandoc and MkDocs write `{ .sh #id }`, R and Jupyter `{r, echo=FALSE}`. */
function findBracedName(text: string): string | undefined {
  return (/^\{(?:[^{}"]*?\s)??\.([\w+#-]+)/.exec(text) ?? /^\{\s*([A-Za-z][\w+-]*)(?=[\s,}])/.exec(text))?.[1];
}

/** The meaning of numbers in braces after these names; `undefined`: they mark no lines. After other names, as after none, they highlight. */
const MEANING_OF_NAME = new Map([
  ['ins', 'inserted'],
  ['del', 'deleted'],
  ...['collapse', 'startLineNumber', 'showLineNumbers'].map((name) => [name, undefined] as const),
] as const);

/** Returns the numbers in braces by what they mean; Expressive Code may put a label before them, `{"A":1-3}`. */
function readBraces(text: string): { readonly [Meaning in 'highlighted' | 'inserted' | 'deleted']?: string } {
  const found: { highlighted?: string; inserted?: string; deleted?: string } = {};
  for (const [, name, numbers = ''] of text.matchAll(/(?:(?<![\w-])([\w-]+)=)?\{(?:"[^"{}]*":)?([\d\s,-]+)\}/g)) {
    const meaning = name !== undefined && MEANING_OF_NAME.has(name) ? MEANING_OF_NAME.get(name) : 'highlighted';
    if (meaning !== undefined) found[meaning] = found[meaning] === undefined ? numbers : `${found[meaning]},${numbers}`;
  }
  return found;
}

/** More than any author means; keeps a hostile fence cheap. */
const MAX_RANGES = 200;

/** Parses `1,4-6` (or `1 4-6`) as ranges of lines; anything but numbers is ignored. */
function parseLineRanges(text = ''): readonly LineRange[] {
  const ranges: LineRange[] = [];
  for (const part of text.split(/[\s,]+/, MAX_RANGES)) {
    const match = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part);
    if (match) ranges.push([Number(match[1]), Number(match[2] ?? match[1])]);
  }
  return ranges;
}

/** mdBook writes `rust,ignore,editable`, or `rust, ignore`: the rest is for a compiler. */
function removeFlags(info: string): string {
  return info.replace(/^([\w+#.-]+)(?:,[\w=."-]*)+(?=\s|$)/, '$1');
}

/** VitePress writes `js-vue` for code in which Vue's `{{ }}` is evaluated; here it is treated like any other code. */
function toLanguage(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith('-vue') ? lower.slice(0, -4) : lower;
}

const SETTING_OF_NAME = {
  title: createSetting('title'),
  filename: createSetting('filename'),
  tab: createSetting('tab'),
  hl_lines: createSetting('hl_lines'),
  linenostart: createSetting('linenostart'),
  startLineNumber: createSetting('startLineNumber'),
  linenums: createSetting('linenums'),
};

function createSetting(name: string): RegExp {
  return new RegExp(`(?:^|[\\s{,])${name}=(?:"([^"]*)"|'([^']*)'|([^\\s},"']+))`);
}

function findSetting(text: string, name: keyof typeof SETTING_OF_NAME): string | undefined {
  const match = text.includes('=') ? SETTING_OF_NAME[name].exec(text) : null;
  return match ? (match[1] ?? match[2] ?? match[3]) : undefined;
}

function findFirstNumber(text: string): number | undefined {
  const numbered =
    /(?:^|[\s}\]]):?line-numbers(?:=(\d{1,6}))?(?![\w-])/.exec(text) ?? /^:line-numbers(?:=(\d{1,6}))?/.exec(text);
  if (numbered) return Number(numbered[1] ?? 1);
  const start =
    findSetting(text, 'linenums') ?? findSetting(text, 'linenostart') ?? findSetting(text, 'startLineNumber');
  if (start !== undefined && /^\{?\d{1,6}\}?$/.test(start)) return Number(start.replace(/[{}]/g, ''));
  return /\bshowLineNumbers\b(?!=\{?false)|\blineno[s]?=(?:"?(?:true|table|inline))/.test(text) ? 1 : undefined;
}
