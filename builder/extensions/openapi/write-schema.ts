import { type Fields, isFields, type OpenapiDocument, toList, toText } from './read-openapi.ts';
import { code, escapeMarkdown } from './write-markdown.ts';

/** Levels of objects inside objects that a table shows, and its rows. */
const MAX_DEPTH = 5;
const MAX_ROWS = 500;
/** Schemas that are looked at for one type or table, since each may refer to many others. */
const MAX_LOOKS = 2_000;
/** Characters of one value that a table shows, and of an example. */
const MAX_SHOWN = 500;
const MAX_EXAMPLE = 20_000;

/** A property of an object; those inside it are named `address.street`, those of items of a list `users[].name`. */
export interface Property {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Markdown for the cell of a table. */
  readonly about: string;
}

/** Writes schemas as Markdown. */
export interface SchemaWriter {
  /** Returns the type in a few words, with links to schemas that have names. */
  typeOf(schema: unknown): string;
  listProperties(schema: unknown): readonly Property[];
  /** Returns what else is said of a value: its bounds, choices, default. */
  describe(schema: unknown): string;
  /** Returns an example, that of the author if there is one. */
  exampleOf(schema: unknown): unknown;
}

export function createSchemaWriter(document: OpenapiDocument, linkTo: (schema: string) => string): SchemaWriter {
  const { resolve, schemaName, spend } = document;

  function typeOf(given: unknown, depth = 0, looks = { left: MAX_LOOKS }): string {
    const name = schemaName(given);
    if (name !== undefined) return `[${escapeMarkdown(shorten(name))}](${linkTo(name)})`;
    const schema = resolve(given);
    if (!schema) return given === true ? 'any' : 'unknown';
    if (depth > MAX_DEPTH || --looks.left < 0) return 'object';
    for (const [key, words] of [
      ['oneOf', ' or '],
      ['anyOf', ' or '],
      ['allOf', ' and '],
    ] as const) {
      const parts = toList(schema[key]);
      if (parts.length > 0)
        return join(
          parts.slice(0, 20).map((part) => typeOf(part, depth + 1, looks)),
          words,
        );
    }
    const types = [schema.type]
      .flat()
      .slice(0, 20)
      .filter((type) => typeof type === 'string');
    if (schema.nullable === true) types.push('null');
    const shown = types.map((type) => {
      if (type === 'array')
        return `array of ${schema.items === undefined ? 'any' : typeOf(schema.items, depth + 1, looks)}`;
      const isMap = type === 'object' && isFields(schema.additionalProperties) && schema.properties === undefined;
      if (isMap) return `map of ${typeOf(schema.additionalProperties, depth + 1, looks)}`;
      const format = toText(schema.format);
      return escapeMarkdown(shorten(format === '' || type === 'null' ? type : `${type} (${format})`));
    });
    if (shown.length > 0) return join(shown, ' or ');
    if (schema.const !== undefined) return show(schema.const);
    return schema.properties === undefined ? (schema.enum === undefined ? 'any' : 'enum') : 'object';
  }

  /** Joins what differs. */
  function join(types: readonly string[], words: string): string {
    const shown = [...new Set(types)].join(words);
    spend(shown.length);
    return shown;
  }

  function show(value: unknown): string {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    spend(text.length);
    return code(shorten(text));
  }

  function describe(given: unknown): string {
    // What a schema with a name says is told where it stands.
    if (schemaName(given) !== undefined) return '';
    const schema = resolve(given) ?? {};
    const facts: string[] = [];
    const choices = toList(schema.enum);
    if (choices.length > 0) {
      const more = choices.length > 30 ? ' …' : '';
      facts.push(`One of ${choices.slice(0, 30).map(show).join(', ')}${more}`);
    }
    if (schema.default !== undefined) facts.push(`Default: ${show(schema.default)}`);
    for (const [key, word] of [
      ['minimum', '≥'],
      ['maximum', '≤'],
      ['exclusiveMinimum', '>'],
      ['exclusiveMaximum', '<'],
    ] as const) {
      if (typeof schema[key] === 'number') facts.push(escapeMarkdown(`${word} ${schema[key]}`));
    }
    for (const [key, words] of [
      ['minLength', 'at least', 'characters'],
      ['maxLength', 'at most', 'characters'],
      ['minItems', 'at least', 'items'],
      ['maxItems', 'at most', 'items'],
    ].map(([key, ...words]) => [key!, words] as const)) {
      if (typeof schema[key] === 'number') facts.push(`${words[0]} ${schema[key]} ${words[1]}`);
    }
    if (typeof schema.pattern === 'string') facts.push(`Pattern: ${show(schema.pattern)}`);
    if (schema.readOnly === true) facts.push('read-only');
    if (schema.writeOnly === true) facts.push('write-only');
    if (schema.deprecated === true) facts.push('**deprecated**');
    return facts.join('; ');
  }

  function listProperties(given: unknown): readonly Property[] {
    const rows: Property[] = [];
    let looks = MAX_LOOKS;
    collect(given, '', 0);
    return rows;

    function collect(value: unknown, prefix: string, depth: number): void {
      const schema = resolve(value);
      if (!schema || depth > MAX_DEPTH || --looks < 0) return;
      for (const part of toList(schema.allOf).slice(0, MAX_ROWS)) collect(part, prefix, depth + 1);
      const required = new Set(toList(schema.required));
      for (const [name, property] of Object.entries(isFields(schema.properties) ? schema.properties : {})) {
        if (rows.length >= MAX_ROWS) return;
        const own = resolve(property) ?? {};
        const about = [schemaName(property) === undefined ? toText(own.description) : '', describe(property)];
        const row = {
          name: prefix + name,
          type: typeOf(property),
          isRequired: required.has(name),
          about: about.filter(Boolean).join('\n\n'),
        };
        spend(row.name.length + row.type.length + row.about.length);
        rows.push(row);
        // What has a name of its own is described there; so nothing contains itself.
        if (schemaName(property) !== undefined) continue;
        if (own.properties !== undefined) collect(property, `${prefix}${name}.`, depth + 1);
        const isList = isFields(own.items) && schemaName(own.items) === undefined;
        if (isList) collect(own.items, `${prefix}${name}[].`, depth + 1);
      }
    }
  }

  /** `open` are the schemas around it, which are not shown in themselves; what there is no room for is left out. */
  function exampleOf(given: unknown, open: readonly Fields[] = [], room = { left: MAX_EXAMPLE }): unknown {
    const schema = resolve(given);
    room.left -= 10;
    if (!schema || open.length > MAX_DEPTH) return null;
    const take = (value: unknown): unknown => {
      const { length } = JSON.stringify(value);
      spend(length);
      room.left -= length;
      return value;
    };
    const inside = [...open, schema];
    if (schema.example !== undefined) return take(schema.example);
    const [first] = toList(schema.examples);
    if (first !== undefined) return take(first);
    if (schema.const !== undefined) return take(schema.const);
    if (schema.default !== undefined) return take(schema.default);
    const [choice] = toList(schema.enum);
    if (choice !== undefined) return take(choice);
    const [part] = [...toList(schema.oneOf), ...toList(schema.anyOf)];
    if (part !== undefined) return exampleOf(part, inside, room);
    const parts = toList(schema.allOf).map((one) => (room.left > 0 ? exampleOf(one, inside, room) : undefined));
    const type = [schema.type].flat().find((one) => one !== 'null');
    if (type === 'object' || schema.properties !== undefined || parts.length > 0) {
      const own = Object.entries(isFields(schema.properties) ? schema.properties : {}).slice(0, 50);
      const made = own.flatMap(([name, property]) => {
        const isInside = inside.some((outer) => outer === resolve(property) || outer === itemsOf(property));
        if (isInside || room.left <= 0) return [];
        room.left -= name.length;
        return [[name, exampleOf(property, inside, room)] as const];
      });
      return Object.fromEntries([...parts.flatMap((one) => (isFields(one) ? Object.entries(one) : [])), ...made]);
    }
    if (type === 'array') return schema.items === undefined ? [] : [exampleOf(schema.items, inside, room)];
    return exampleOfType(type, schema);
  }

  function itemsOf(property: unknown): Fields | undefined {
    const { items } = resolve(property) ?? {};
    return items === undefined ? undefined : resolve(items);
  }

  return { typeOf: (schema) => typeOf(schema), describe, listProperties, exampleOf: (schema) => exampleOf(schema) };
}

function shorten(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T12:00:00Z',
  date: '2026-01-01',
  email: 'user@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  uri: 'https://example.com',
  url: 'https://example.com',
};

function exampleOfType(type: unknown, { format, minimum }: Fields): unknown {
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 0;
  if (type === 'boolean') return true;
  return type === 'string' ? (Object.hasOwn(EXAMPLES, toText(format)) ? EXAMPLES[toText(format)] : 'string') : null;
}
