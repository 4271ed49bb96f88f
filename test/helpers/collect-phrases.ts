import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyNode, parse } from 'acorn';
import { Parser } from 'htmlparser2';
import nunjucks from 'nunjucks';
import { titleOf } from '../../api/http/open-api.ts';

/** The types lack the parser. */
const { parse: parseTemplate } = (nunjucks as unknown as { parser: { parse: (text: string) => TemplateNode } }).parser;

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Texts for people in the sources. */
interface Collected {
  /** Keys of the catalogues, each with a file that has it. */
  readonly keys: ReadonlyMap<string, string>;
  /** Texts that people would read in English in every language. */
  readonly untranslated: readonly string[];
}

/** Returns the texts tagged with `phrase` in all code that runs on the server. */
export function collectSourcePhrases(): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const room of ['api', 'cli', 'data', 'lib', 'platform', 'service']) {
    for (const file of listFiles(`dist/${room}`, '.js')) {
      const tree = parse(readFileSync(join(root, file), 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
      visit(tree, (node) => {
        if (node.type !== 'TaggedTemplateExpression') return;
        if (node.tag.type !== 'Identifier' || !['phrase', 'complaint'].includes(node.tag.name)) return;
        const parts = node.quasi.quasis.map(({ value }) => value.cooked ?? '');
        keys.set(parts.map((part, i) => (i === 0 ? part : `{${i - 1}}${part}`)).join(''), file);
      });
    }
  }
  return keys;
}

function visit(node: AnyNode, see: (node: AnyNode) => void): void {
  see(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') visit(child as AnyNode, see);
    }
  }
}

function listFiles(folder: string, extension: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/** A node of Nunjucks' syntax tree. */
interface TemplateNode {
  readonly typename: string;
  readonly fields: readonly string[];
  readonly value?: unknown;
  readonly name?: TemplateNode;
  readonly args?: { readonly children: readonly TemplateNode[] };
  readonly children?: readonly TemplateNode[];
  readonly [field: string]: unknown;
}

/** An OpenAPI document, as far as the API's page shows it. */
interface ApiDocument {
  readonly tags: readonly Described[];
  readonly components: { readonly securitySchemes: Readonly<Record<string, Described>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Described {
  readonly name?: string;
  readonly summary?: string;
  readonly description?: string;
}
interface Operation extends Described {
  readonly parameters?: readonly Described[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema?: { readonly properties?: Record<string, Described> } }>
    >;
  };
  readonly responses: Readonly<Record<string, Described>>;
  readonly 'x-examples'?: readonly Described[];
}

/** Returns the texts of the API's page, from the document that it presents. */
export function collectApiPhrases({ tags, components, paths }: ApiDocument): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  const add = (place: string, ...found: readonly Described[]): void => {
    for (const { summary, description } of found) {
      for (const text of [summary, description]) if (text) keys.set(text, place);
    }
  };
  for (const tag of tags) keys.set(titleOf(tag.name!), 'tags');
  add('tags', ...tags);
  add('security', ...Object.values(components.securitySchemes));
  for (const [path, item] of Object.entries(paths)) {
    for (const operation of Object.values(item)) {
      const { parameters = [], requestBody, responses, 'x-examples': examples = [] } = operation;
      add(path, operation, ...parameters, ...Object.values(responses), ...examples);
      for (const { schema } of Object.values(requestBody?.content ?? {})) {
        add(path, ...Object.values(schema?.properties ?? {}));
      }
    }
  }
  return keys;
}

/** Names that are the same in every language, and names of files. */
const NAMES =
  /docbuild|OpenAPI 3\.1|API|UID|Markdown|reStructuredText|HTML|Webhook|AsciiDoc|MkDocs|Sphinx|VitePress|https:|[\w./]+\.(?:html|py|ts)\b/g;
const LETTER = /\p{L}/u;
/** A class without rules of its own. */
const PLAIN = 'plain';

/** Returns the texts that templates of the service pass to `t`, and those that they do not. */
export function collectTemplatePhrases(): Collected {
  const keys = new Map<string, string>();
  const untranslated: string[] = [];
  const classes = collectClasses();
  for (const file of listFiles('templates/console', '.njk')) {
    const tree = parseTemplate(readFileSync(join(root, file), 'utf8'));
    const { html, translated, literals } = readTemplate(tree);
    for (const key of translated) keys.set(key, file);
    const words = literals.filter((text) => LETTER.test(text.replace(NAMES, '')) && !text.startsWith('/'));
    const foreign = words.filter((text) => !text.split(' ').every((word) => classes.has(word)));
    for (const text of [...foreign, ...listVisible(html)]) untranslated.push(`${file}: ${text}`);
  }
  return { keys, untranslated };
}

function collectClasses(): ReadonlySet<string> {
  const sheets = listFiles('templates/console', '.css').map((file) => readFileSync(join(root, file), 'utf8'));
  return new Set([PLAIN, ...sheets.flatMap((css) => [...css.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!))]);
}

/** Returns a template as HTML without its values, the keys that it translates, and literals that are shown or passed on. */
function readTemplate(tree: TemplateNode) {
  let html = '';
  const translated: string[] = [];
  const literals: string[] = [];
  const collectKeys = (node: TemplateNode): void => {
    if (node.typename === 'Literal') translated.push(String(node.value));
    else if (node.typename === 'InlineIf')
      for (const name of ['body', 'else_']) collectKeys(node[name] as TemplateNode);
    else read(node, false);
  };
  const readChildren = (node: TemplateNode, isShown: boolean): void => {
    for (const name of node.fields) {
      const value = node[name];
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.typename === 'string') read(child as TemplateNode, isShown);
      }
    }
  };
  const read = (node: TemplateNode, isShown: boolean): void => {
    const { typename } = node;
    if (typename === 'TemplateData') html += String(node.value);
    else if (typename === 'Literal') {
      if (isShown && typeof node.value === 'string') literals.push(node.value);
    } else if (typename === 'Output') {
      for (const child of node.children ?? []) {
        if (child.typename !== 'TemplateData') html += '\u{fffc}';
        read(child, true);
      }
    } else if (typename === 'FunCall' && node.name?.value === 't') {
      const [text, ...values] = node.args?.children ?? [];
      if (text) collectKeys(text);
      for (const value of values) read(value, true);
    } else if (typename === 'FunCall' && node.name?.value === 'value') {
      // The name of a field.
    } else if (typename === 'FunCall' && takesId(node.name)) {
      // The first value is the id of a field.
      for (const value of node.args?.children?.slice(1) ?? []) read(value, isShown);
    } else if (typename === 'InlineIf') {
      read(node['cond'] as TemplateNode, false);
      for (const name of ['body', 'else_']) if (node[name]) read(node[name] as TemplateNode, isShown);
    } else if (typename === 'Pair') {
      read(node['value'] as TemplateNode, isShown);
    } else if (typename === 'LookupVal' || typename === 'Compare') {
      readChildren(node, false);
    } else readChildren(node, isShown);
  };
  read(tree, false);
  return { html, translated, literals };
}

/** Checks whether a macro takes the id of a field before all else. */
function takesId(macro: TemplateNode | undefined): boolean {
  const name = (macro?.['val'] as TemplateNode | undefined)?.value;
  return name === 'copy' || name === 'snippet';
}

const SHOWN_ATTRIBUTES: readonly string[] = ['alt', 'aria-label', 'placeholder', 'title'];
const CODE = new Set(['code', 'pre', 'script', 'style']);

/** Returns the texts in HTML that people read: those between tags and those of attributes. */
function listVisible(html: string): readonly string[] {
  const found: string[] = [];
  const open: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      open.push(name);
      for (const attribute of SHOWN_ATTRIBUTES) found.push(attributes[attribute] ?? '');
    },
    onclosetag: () => void open.pop(),
    ontext: (text) => void (open.some((name) => CODE.has(name)) || found.push(text)),
  });
  parser.end(html);
  return found.map((text) => text.trim()).filter((text) => LETTER.test(text.replace(NAMES, '')));
}
