import { trimCharacters } from '../../../lib/trim-characters.ts';
import { judgeEntryName } from '../../entry-name.ts';
import type { MadeFile, VersionFiles } from '../../extension.ts';
import type { DataExtension } from '../data-extension.ts';
import {
  type Fields,
  isFields,
  type OpenapiDocument,
  type OpenapiMistake,
  OpenapiTooLarge,
  type Operation,
  readOpenapi,
  toList,
  toText,
} from './read-openapi.ts';
import { code, codeBlock, escapeMarkdown, prose, slugOf, table } from './write-markdown.ts';
import { createSchemaWriter, type Property, type SchemaWriter } from './write-schema.ts';

export interface OpenapiSettings {
  readonly file: string;
  /** Folder of the pages, below that of the documentation. */
  readonly path: string;
  readonly lang: keyof typeof WORDS;
}

/** The reference of an API from a document of OpenAPI 3: a page for each tag, one for schemas. */
export const OPENAPI: DataExtension<readonly OpenapiSettings[]> = {
  check: ({ z, path }) => {
    const one = z.strictObject({
      file: path,
      path: path.transform((folder) => trimCharacters(folder, '/')),
      lang: z.enum(Object.keys(WORDS) as [keyof typeof WORDS]).default('en'),
    });
    const list = z.array(one).max(20, 'must not have more than 20 documents');
    return z.union(
      [one.transform((settings) => [settings]), list],
      'must be a map with "file" and "path", or a list of them',
    );
  },
  create: (documents, name) => ({
    name,
    pages: async (version) => (await Promise.all(documents.map((settings) => makePages(settings, version)))).flat(),
  }),
};

const WORDS = {
  en: {
    operations: 'Operations',
    schemas: 'Schemas',
    servers: 'Servers',
    authentication: 'Authentication',
    parameters: 'Parameters',
    body: 'Request body',
    responses: 'Responses',
    required: 'required',
    deprecated: 'deprecated',
    name: 'Name',
    place: 'In',
    type: 'Type',
    meaning: 'Description',
    operation: 'Operation',
    status: 'Status',
    content: 'Content',
    scheme: 'Scheme',
    example: 'Example',
    version: 'Version of the API',
    licence: 'Licence',
  },
  zh_CN: {
    operations: '操作',
    schemas: '数据结构',
    servers: '服务器',
    authentication: '身份验证',
    parameters: '参数',
    body: '请求体',
    responses: '响应',
    required: '必填',
    deprecated: '已弃用',
    name: '名称',
    place: '位置',
    type: '类型',
    meaning: '说明',
    operation: '操作',
    status: '状态',
    content: '内容',
    scheme: '方式',
    example: '示例',
    version: 'API 版本',
    licence: '许可证',
  },
} as const;

/** The document, and everything that all of its pages share. */
interface Reference {
  readonly document: OpenapiDocument;
  readonly words: (typeof WORDS)[keyof typeof WORDS];
  readonly schemas: SchemaWriter;
  /** Of the headings of schemas, by their names. */
  readonly schemaIds: ReadonlyMap<string, string>;
  readonly groups: readonly Group[];
  readonly idOf: ReadonlyMap<Operation, string>;
}

/** The operations of a tag: a page. */
interface Group {
  readonly title: string;
  readonly slug: string;
  readonly about: string;
  readonly operations: readonly Operation[];
}

async function makePages(settings: OpenapiSettings, version: VersionFiles): Promise<readonly MadeFile[]> {
  const { file } = settings;
  const text = await version.read(file);
  // A version from before the API had a document lacks nothing.
  if (text === undefined) return [];
  const report = (mistake: OpenapiMistake) => version.report({ file, ...mistake });
  const refuse = ({ line, message }: OpenapiMistake): readonly MadeFile[] => {
    report({ line, message: `No pages of the API: ${message}` });
    return [];
  };
  try {
    const document = await readOpenapi(text, report);
    return 'message' in document ? refuse(document) : writePages(document, settings);
  } catch (error) {
    if (error instanceof OpenapiTooLarge) return refuse({ line: 0, message: error.message });
    throw error;
  }
}

function writePages(document: OpenapiDocument, { file, path, lang }: OpenapiSettings): readonly MadeFile[] {
  const words = WORDS[lang];
  const named = listSchemas(document);
  const taken = new Map<string, number>();
  const ids = new Map(named.map(([name]) => [name, takeName(slugOf(name) || 'schema', taken)]));
  const schemas = createSchemaWriter(document, (name) => `schemas.md#${encodeURIComponent(ids.get(name) ?? '')}`);
  const groups = groupOperations(document, words.operations);
  const reference: Reference = {
    document,
    words,
    schemas,
    schemaIds: ids,
    groups,
    idOf: nameOperations(document.operations),
  };
  const make = (name: string, content: string): MadeFile => ({ path: `${path}/${name}.md`, text: content, from: file });
  return [
    make('index', writeOverview(reference)),
    ...groups.map((group, at) => make(group.slug, writeGroup(group, at + 1, reference))),
    ...(named.length > 0 ? [make('schemas', writeSchemas(named, reference))] : []),
  ];
}

function listSchemas({ root }: OpenapiDocument): readonly (readonly [name: string, schema: unknown])[] {
  const { schemas } = isFields(root.components) ? root.components : {};
  return Object.entries(isFields(schemas) ? schemas : {});
}

/** Tags are in the order in which the document lists them; then those that only operations name. */
function groupOperations({ root, operations }: OpenapiDocument, other: string): readonly Group[] {
  const groups = new Map<string, { readonly about: string; readonly operations: Operation[] }>();
  for (const tag of toList(root.tags)) {
    if (isFields(tag) && typeof tag.name === 'string')
      groups.set(tag.name, { about: toText(tag.description), operations: [] });
  }
  for (const operation of operations) {
    const name = operation.tag ?? other;
    if (!groups.has(name)) groups.set(name, { about: '', operations: [] });
    groups.get(name)!.operations.push(operation);
  }
  const taken = new Map(['index', 'schemas', 'readme'].map((name) => [name, 2]));
  return [...groups]
    .filter(([, group]) => group.operations.length > 0)
    .map(([title, group]) => ({ title, slug: takeName(nameOfPage(title), taken), ...group }));
}

/** Letters of a page's name: few enough for every system in UTF-8, too. */
const MAX_PAGE_NAME = 50;

function nameOfPage(tag: string): string {
  const name = [...slugOf(tag)].slice(0, MAX_PAGE_NAME).join('');
  if (name === '') return 'operations';
  // A tag may be called like a device of Windows.
  return judgeEntryName(name).verdict === 'ok' ? name : `${name}-operations`;
}

/** Returns a name that is not taken yet, and takes it. */
function takeName(name: string, taken: Map<string, number>): string {
  let free = name;
  let number = taken.get(name) ?? 1;
  for (; taken.has(free); number++) free = `${name}-${number}`;
  taken.set(name, Math.max(2, number));
  taken.set(free, 2);
  return free;
}

function nameOperations(operations: readonly Operation[]): ReadonlyMap<Operation, string> {
  const taken = new Map<string | undefined, Map<string, number>>();
  return new Map(
    operations.map((operation) => {
      const { fields, method, path, tag } = operation;
      const own = taken.get(tag) ?? new Map<string, number>();
      taken.set(tag, own);
      const id = trimCharacters(toText(fields.operationId).replace(/[^\w-]+/g, '-'), '-', { both: true });
      return [operation, takeName(id || slugOf(`${method} ${path}`), own)] as const;
    }),
  );
}

function writeFront(title: string, rest: Readonly<Record<string, string | number>> = {}): string {
  const rows = Object.entries({ title, ...rest }).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${rows.join('\n')}\n---\n\n`;
}

function titleOf({ fields, method, path }: Operation): string {
  const summary = toText(fields.summary).trim();
  return summary === '' ? code(`${method} ${path}`) : escapeMarkdown(summary);
}

const KINDS: Readonly<Record<string, string>> = {
  GET: 'info',
  POST: 'tip',
  DELETE: 'danger',
  HEAD: 'info',
  OPTIONS: 'info',
};

function badge(kind: string, text: string): string {
  return `<Badge type="${kind}" text="${text}" />`;
}

function writeOverview({ document, words, groups, idOf }: Reference): string {
  const info = document.root.info as Fields;
  const title = toText(info.title);
  const servers = toList(document.root.servers).filter(isFields);
  const { securitySchemes } = isFields(document.root.components) ? document.root.components : {};
  const schemes = Object.entries(isFields(securitySchemes) ? securitySchemes : {});
  const parts = [writeFront(title)];
  const licence = isFields(info.license) ? toText(info.license.name) : '';
  const facts = [
    toText(info.version) === '' ? '' : `${words.version}: ${code(toText(info.version))}`,
    licence === '' ? '' : `${words.licence}: ${escapeMarkdown(licence)}`,
  ].filter(Boolean);
  if (facts.length > 0) parts.push(`${facts.join('. ')}.\n`);
  parts.push(prose(toText(info.description) || toText(info.summary), 1));
  if (servers.length > 0) {
    const rows = servers.map((server) => [code(toText(server.url)), toText(server.description)]);
    parts.push(`## ${words.servers} {#servers}\n`, table([words.servers, words.meaning], rows));
  }
  if (schemes.length > 0) {
    const rows = schemes.map(([name, given]) => {
      const scheme = document.resolve(given) ?? {};
      return [code(name), describeScheme(scheme), toText(scheme.description)];
    });
    parts.push(
      `## ${words.authentication} {#authentication}\n`,
      table([words.name, words.scheme, words.meaning], rows),
    );
  }
  for (const group of groups) {
    const rows = group.operations.map((operation) => [
      `[${titleOf(operation)}](${group.slug}.md#${idOf.get(operation)!})`,
      `${badge(KINDS[operation.method] ?? 'warning', operation.method)} ${code(operation.path)}`,
    ]);
    parts.push(`## ${escapeMarkdown(group.title)}\n`, table([words.operation, 'HTTP'], rows));
  }
  return parts.filter(Boolean).join('\n');
}

function describeScheme(scheme: Fields): string {
  const type = toText(scheme.type);
  if (type === 'http') return escapeMarkdown(`HTTP ${toText(scheme.scheme)}`);
  if (type === 'apiKey') return `${escapeMarkdown(toText(scheme.in))}: ${code(toText(scheme.name))}`;
  return escapeMarkdown(type);
}

function writeGroup(group: Group, order: number, reference: Reference): string {
  const parts = [writeFront(group.title, { order }), prose(group.about, 1)];
  for (const operation of group.operations) parts.push(writeOperation(operation, reference));
  return parts.filter(Boolean).join('\n');
}

function writeOperation(operation: Operation, reference: Reference): string {
  const { words, idOf, document, schemas } = reference;
  const { fields, method, path, parameters } = operation;
  const deprecated = fields.deprecated === true ? ` ${badge('warning', words.deprecated)}` : '';
  const parts = [
    `## ${titleOf(operation)} {#${idOf.get(operation)!}}\n`,
    `${badge(KINDS[method] ?? 'warning', method)} ${code(path)}${deprecated}\n`,
    prose(toText(fields.description), 2),
  ];
  const security = listSecurity(fields.security ?? document.root.security);
  document.spend(security.join().length);
  if (security.length > 0) {
    parts.push(
      `${words.authentication}: ${security.map((name) => `[${code(name)}](index.md#authentication)`).join(', ')}\n`,
    );
  }
  if (parameters.length > 0) {
    const rows = parameters.map((parameter) => {
      const schema = parameter.schema ?? firstContent(parameter.content)?.media.schema;
      const about = [toText(parameter.description), schemas.describe(schema)].filter(Boolean).join('\n\n');
      const isDeprecated = parameter.deprecated === true ? ` ${badge('warning', words.deprecated)}` : '';
      return spendRow(document, [
        `${code(toText(parameter.name))}${parameter.required === true ? ` *${words.required}*` : ''}${isDeprecated}`,
        escapeMarkdown(toText(parameter.in)),
        schemas.typeOf(schema),
        about,
      ]);
    });
    parts.push(`**${words.parameters}**\n`, table([words.name, words.place, words.type, words.meaning], rows));
  }
  const body = document.resolve(fields.requestBody);
  const content = firstContent(body?.content);
  if (body && content) {
    const type = content.media.schema === undefined ? '' : `: ${schemas.typeOf(content.media.schema)}`;
    const required = body.required === true ? `, *${words.required}*` : '';
    parts.push(`**${words.body}** (${code(content.type)}${required})${type}\n`, prose(toText(body.description), 2));
    if (document.schemaName(content.media.schema) === undefined)
      parts.push(writeProperties(content.media.schema, reference));
  }
  parts.push(codeBlock('sh', writeCurl(operation, content, reference)), writeResponses(fields.responses, reference));
  return spendRow(document, parts.filter(Boolean)).join('\n');
}

/** Counts what is written, before the next row of a table is made. */
function spendRow({ spend }: OpenapiDocument, row: readonly string[]): readonly string[] {
  for (const { length } of row) spend(length);
  return row;
}

function listSecurity(value: unknown): readonly string[] {
  return [...new Set(toList(value).flatMap((one) => (isFields(one) ? Object.keys(one) : [])))];
}

interface Content {
  readonly type: string;
  readonly media: Fields;
}

/** JSON is preferred. */
function firstContent(value: unknown): Content | undefined {
  const types = Object.entries(isFields(value) ? value : {}).flatMap(([type, media]) =>
    isFields(media) ? [{ type, media }] : [],
  );
  return types.find(({ type }) => /[/+]json\b/i.test(type)) ?? types[0];
}

function writeProperties(schema: unknown, { schemas, words }: Reference): string {
  return writeRows(schemas.listProperties(schema), words);
}

function writeRows(properties: readonly Property[], words: Reference['words']): string {
  const rows = properties.map(({ name, type, isRequired, about }) => [
    `${code(name)}${isRequired ? ` *${words.required}*` : ''}`,
    type,
    about,
  ]);
  return table([words.name, words.type, words.meaning], rows);
}

function writeResponses(value: unknown, reference: Reference): string {
  const { words, document, schemas } = reference;
  const responses = Object.entries(isFields(value) ? value : {}).filter(([status]) => !status.startsWith('x-'));
  const examples: string[] = [];
  const rows = responses.map(([status, given]) => {
    const response = document.resolve(given) ?? {};
    const content = firstContent(response.content);
    if (content && /^2/.test(status) && examples.length === 0 && /[/+]json\b/i.test(content.type)) {
      examples.push(codeBlock('json', JSON.stringify(findExample(content, reference), null, 2)));
    }
    const shown = content
      ? `${code(content.type)} ${content.media.schema === undefined ? '' : schemas.typeOf(content.media.schema)}`
      : '';
    return spendRow(document, [code(status), toText(response.description), shown]);
  });
  if (rows.length === 0) return '';
  return [`**${words.responses}**\n`, table([words.status, words.meaning, words.content], rows), ...examples].join(
    '\n',
  );
}

/** Returns the author's example of some content, or one that its schema allows. */
function findExample({ media }: Content, { document, schemas }: Reference): unknown {
  if (media.example !== undefined) return media.example;
  const [first] = Object.values(isFields(media.examples) ? media.examples : {});
  const named = document.resolve(first)?.value;
  return (named === undefined ? schemas.exampleOf(media.schema) : named) ?? null;
}

/** Returns the command that calls an operation, with what it requires. */
function writeCurl(operation: Operation, content: Content | undefined, reference: Reference): string {
  const { document, schemas } = reference;
  const { method, path, parameters, fields } = operation;
  const required = parameters.filter((parameter) => parameter.required === true);
  const exampleFor = (parameter: Fields): string => {
    const value = parameter.example ?? schemas.exampleOf(parameter.schema);
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  const query = required
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => `${encodeURIComponent(toText(parameter.name))}=${encodeURIComponent(exampleFor(parameter))}`);
  const headers = required
    .filter((parameter) => parameter.in === 'header')
    .map((parameter) => `${toText(parameter.name)}: ${exampleFor(parameter)}`);
  const [server] = toList(document.root.servers).filter(isFields);
  const base = server ? fillServer(server) : '';
  const url = `${base}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const options = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(url)}`];
  const credentials = findCredentials(fields.security ?? document.root.security, document);
  for (const header of [...(credentials === undefined ? [] : [credentials]), ...headers])
    options.push(`-H ${quote(header)}`);
  if (content) {
    options.push(`-H ${quote(`Content-Type: ${content.type}`)}`);
    if (/[/+]json\b/i.test(content.type)) options.push(`-d ${quote(JSON.stringify(findExample(content, reference)))}`);
  }
  return options.join(' \\\n  ');
}

/** Variables have defaults; a relative address counts from the one that serves the document. */
function fillServer(server: Fields): string {
  const variables = isFields(server.variables) ? server.variables : {};
  const url = toText(server.url).replace(/\{([^{}]+)\}/g, (written, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isFields(variable) ? toText(variable.default) || written : written;
  });
  const absolute = /^https?:/i.test(url) ? url : `https://example.com${url.startsWith('/') ? '' : '/'}${url}`;
  return trimCharacters(absolute, '/');
}

function findCredentials(security: unknown, { root, resolve }: OpenapiDocument): string | undefined {
  const { securitySchemes } = isFields(root.components) ? root.components : {};
  const [name] = listSecurity(security);
  const schemes = isFields(securitySchemes) ? securitySchemes : {};
  const scheme = name !== undefined && Object.hasOwn(schemes, name) ? resolve(schemes[name]) : undefined;
  if (scheme?.type === 'http') return `Authorization: ${scheme.scheme === 'basic' ? 'Basic' : 'Bearer'} TOKEN`;
  if (scheme?.type === 'oauth2' || scheme?.type === 'openIdConnect') return 'Authorization: Bearer TOKEN';
  return scheme?.type === 'apiKey' && scheme.in === 'header' ? `${toText(scheme.name)}: KEY` : undefined;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function writeSchemas(named: readonly (readonly [name: string, schema: unknown])[], reference: Reference): string {
  const { words, document, schemas, schemaIds, groups } = reference;
  const parts = [writeFront(words.schemas, { order: groups.length + 1 })];
  for (const [name, given] of named) {
    const schema = document.resolve(given) ?? {};
    const properties = schemas.listProperties(schema);
    parts.push(`## ${escapeMarkdown(name)} {#${schemaIds.get(name)!}}\n`, prose(toText(schema.description), 2));
    if (properties.length === 0) {
      const facts = [schemas.typeOf(schema), schemas.describe(schema)].filter(Boolean).join('. ');
      parts.push(`${facts}\n`);
    } else
      parts.push(writeRows(properties, words), codeBlock('json', JSON.stringify(schemas.exampleOf(schema), null, 2)));
  }
  return parts.filter(Boolean).join('\n');
}
