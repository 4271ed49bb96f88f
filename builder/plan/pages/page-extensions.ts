import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import { contentKey } from '../../cache/content-key.ts';
import { type Component, type Extension, type ExtensionMeters, type Grammar, listNames } from '../../extension.ts';
import type { Template } from '../../extensions/parse-template.ts';
import type { OwnLanguage } from '../../markdown/code/highlight-pool.ts';
import type { OwnLanguages } from '../../markdown/code/languages.ts';
import type { MarkdownPlugin, PageComponent } from '../../markdown/draft.ts';
import type { TemplateComponent, VersionComponents } from '../versions/version-source.ts';
import type { TextReader } from './page-inputs.ts';

/** The extensions that apply to one page. */
export interface PageExtensions {
  /** Hash of it; '' = nothing. */
  readonly key: string;
  readonly plugins: readonly MarkdownPlugin[];
  /** Names of its components. */
  readonly names: readonly string[];
  readonly languages?: OwnLanguages;
}

export interface BuildExtensions {
  readonly languages: readonly OwnLanguage[];
  /** Finds out what applies to a page: `oids` are its file and all that it includes, `names` the tags in them. */
  select(page: {
    readonly oids: readonly string[];
    readonly names: ReadonlySet<string>;
    readonly templates: VersionComponents | undefined;
  }): Promise<PageExtensions>;
  /** Loads the components that a page uses. */
  load(names: readonly string[], templates: VersionComponents | undefined): Promise<ReadonlyMap<string, PageComponent>>;
}

const NOTHING: PageExtensions = { key: '', plugins: [], names: [] };

/** Whether a text has a match of an extension's `applies`. */
const APPLIES = defineCacheKind<boolean>('extension-applies', { maxEntries: 20_000 });

/** Under this name the templates of a repository are timed and fail. */
const TEMPLATES = 'components';

/** Shared by the extensions of a build; `configKey` is the hash of the code that they are. */
export interface ExtensionContext {
  readonly configKey: string;
  readonly texts: TextReader;
  readonly cache: Cache;
  readonly meters: ExtensionMeters;
}

/** Creates what a build knows of what extensions do to pages. */
export function createBuildExtensions(
  extensions: readonly Extension[],
  { configKey, texts, cache, meters }: ExtensionContext,
): BuildExtensions {
  const plugins = extensions.flatMap(({ name, markdown, applies }) =>
    markdown === undefined
      ? []
      : [
          {
            key: `${configKey} ${name}`,
            meter: meters.of(name),
            add: markdown,
            applies: applies && stateless(applies),
          },
        ],
  );
  const components = new Map<string, PageComponent>();
  for (const { name, components: own = {} } of extensions) {
    for (const [tag, render] of Object.entries(own)) components.set(tag, { meter: meters.of(name), render });
  }
  const languages = extensions.flatMap((extension) => listLanguages(extension, meters));
  const parsed = createBoundedMap<string, Template>({ maxEntries: 200 });

  return {
    languages,
    async select({ oids, names, templates }) {
      const isEmpty = plugins.length + components.size + languages.length === 0;
      if (isEmpty && templates === undefined) return NOTHING;
      const used = [...names].filter((name) => templates?.byName.has(name) || components.has(name)).sort();
      const applying: MarkdownPlugin[] = [];
      for (const plugin of plugins) {
        const { applies } = plugin;
        if (applies === undefined || (await someMatch(applies, oids))) applying.push(plugin);
      }
      const named: [name: string, key: string][] = [];
      for (const { key, names: own, pattern } of languages)
        if (await someMatch(pattern, oids)) named.push(...own.map((name): [string, string] => [name, key]));
      if (applying.length + used.length + named.length === 0) return NOTHING;
      const parts = used.map((name) => [name, templates?.byName.get(name) ?? configKey]);
      const key = JSON.stringify([applying.map((plugin) => plugin.key), parts, ...(named.length > 0 ? [named] : [])]);
      return { key, plugins: applying, names: used, ...(named.length > 0 && { languages: new Map(named) }) };
    },
    async load(names, templates) {
      const found = new Map<string, PageComponent>();
      for (const name of names) {
        const template = templates?.byName.get(name);
        found.set(
          name,
          template
            ? { meter: meters.of(TEMPLATES), render: await loadTemplate(name, template) }
            : components.get(name)!,
        );
      }
      return found;
    },
  };

  async function someMatch(pattern: RegExp, oids: readonly string[]): Promise<boolean> {
    for (const oid of oids) {
      const isMatch = await cache.memo(APPLIES, [String(pattern), oid], async () =>
        pattern.test((await texts.read(oid)) ?? ''),
      );
      if (isMatch) return true;
    }
    return false;
  }

  async function loadTemplate(name: string, { path, oid }: TemplateComponent): Promise<Component> {
    const { parseTemplate, SafeHtml, TemplateError } = await import('../../extensions/parse-template.ts');
    const text = await texts.read(oid);
    return ({ content, ...call }) => {
      try {
        if (text === undefined) throw new TemplateError('The file is not text', 0);
        const template = parsed.get(oid) ?? parseTemplate(text);
        parsed.set(oid, template);
        return template.render({ ...call, content: new SafeHtml(content) });
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        const place = error.line > 0 ? `${path}:${error.line}` : path;
        throw new Error(`component <${name}>, ${place}: ${error.message}`, { cause: error });
      }
    };
  }
}

/** A language of an extension, by what a page may call it. */
interface NamedLanguage extends OwnLanguage {
  /** Lower-case. */
  readonly names: readonly string[];
  /** Matches texts that may have code in it. */
  readonly pattern: RegExp;
}

function listLanguages({ name: extension, languages = [] }: Extension, meters: ExtensionMeters): NamedLanguage[] {
  return languages.map((given) => {
    // What reaches the workers is data.
    const text = JSON.stringify([given].flat());
    const grammars = JSON.parse(text) as Grammar[];
    const names = listNames(grammars);
    return { key: contentKey(text), grammars, meter: meters.of(extension), names, pattern: createNamePattern(names) };
  });
}

/** Returns a pattern for texts that may name a language: in a fence, a directive, an attribute, or as the ending of a file. */
function createNamePattern(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replace(/\W/g, '\\$&')).join('|');
  const before = '(?:`{3}|~{3}|:|\\bcode|\\bhighlight|\\blang|\\blanguage)[ \\t]*|[{=][ \\t]*["\']?|[.!]';
  return new RegExp(`(?:${before})(?:${any})(?![a-z0-9])`, 'i');
}

/** A pattern with `g` or `y` goes on where it was. */
export function stateless({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.replace(/[gy]/g, ''));
}
