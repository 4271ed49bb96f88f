import type { Generator } from '../../model.ts';

/**
 * How a generator reads syntax that is ambiguous. Unambiguous syntax (`{{< alert >}}`, `:::note`, `{: .warning }`) is
 * understood for all generators.
 */
export interface Dialect {
  /** JSX: all tags contain Markdown, at any indentation. */
  readonly jsx: boolean;
  /** `{expressions}` are evaluated. */
  readonly expressions: boolean;
  /** `{% tags %}` are tags, in code, too (Jekyll); or the generator prints them. */
  readonly liquid: 'everywhere' | 'outside code' | 'text';
  /** What `{{ … }}` is: an expression of Vue or Liquid, a variable of MkDocs' macros, a shortcode of Zola. */
  readonly mustache: 'vue' | 'liquid' | 'macro' | 'shortcode' | 'text';
  /** Shortcodes are tags in code, too. */
  readonly hugo: boolean;
  /** `^^inserted^^`, `{--deleted--}`; `{!file!}`, snippets in code. */
  readonly pymdown: boolean;
  /** Pipes in code end no cell of a table. */
  readonly hasCodePipes: boolean;
  /** A fence directly after HTML is code. */
  readonly fencesEndHtml: boolean;
  /** `{{#include file}}` in code; hidden lines of Rust. */
  readonly mdbook: boolean;
  /** URLs are those of a single-page site: `#/guide?id=install`, `guide?id=install`. */
  readonly docsify: boolean;
  /** Whose ids headings have, too: of those in other scripts than Latin, or in Hexo, which keeps capital letters, of all. */
  readonly headingIds: 'hexo' | 'mkdocs' | 'vitepress' | undefined;
}

const PLAIN: Dialect = {
  jsx: false,
  expressions: false,
  liquid: 'outside code',
  mustache: 'text',
  hugo: false,
  pymdown: false,
  hasCodePipes: false,
  fencesEndHtml: false,
  mdbook: false,
  docsify: false,
  headingIds: undefined,
};

const CHANGES: Readonly<Record<Generator, Partial<Dialect>>> = {
  docsify: { docsify: true },
  docusaurus: { jsx: true, liquid: 'text' },
  hexo: { mustache: 'liquid', headingIds: 'hexo' },
  hugo: { hugo: true },
  jekyll: { liquid: 'everywhere', mustache: 'liquid', fencesEndHtml: true, hasCodePipes: true },
  mdbook: { mdbook: true },
  mkdocs: { pymdown: true, hasCodePipes: true, mustache: 'macro', headingIds: 'mkdocs' },
  starlight: { liquid: 'text' },
  vitepress: { liquid: 'text', mustache: 'vue', fencesEndHtml: true, headingIds: 'vitepress' },
  vuepress: { liquid: 'text', mustache: 'vue', fencesEndHtml: true, headingIds: 'vitepress' },
  zola: { mustache: 'shortcode' },
};

/** Returns the dialect of a page. An `.mdx` file is JSX for all generators. */
export function findDialect(generator: Generator | undefined, isMdx: boolean): Dialect {
  const dialect = generator === undefined ? PLAIN : { ...PLAIN, ...CHANGES[generator] };
  return isMdx ? { ...dialect, jsx: true, expressions: true, liquid: 'text' } : dialect;
}

/** Returns whether a generator changes how texts without any of its syntax are rendered: in Hexo, all headings have ids of their own. */
export function changesAllPages(generator: Generator | undefined): boolean {
  return generator !== undefined && CHANGES[generator].headingIds === 'hexo';
}

/** The syntax that `findDialect` and the rules that use it treat differently. */
const FOREIGN = new RegExp(
  [
    // Template tags, expressions, attributes; HTML tags contain Markdown in JSX.
    '[{<]',
    // In JSX, indentation does not make code.
    ' {4}|\\t',
    // Insertions of MkDocs, and names of Python's objects.
    '\\^\\^|:::',
    '^[ \\t>]*(?:[-*+][ \\t]+|\\d+[.)][ \\t]+)*(?:import|export)\\s',
    // In a line, what sets a formula apart elsewhere does not for Jekyll.
    '\\$\\$',
    // Inside code: snippets, hidden lines of Rust, comments that mark lines.
    '8<-|``` *rust|highlight-',
    // Notations of frameworks' own sites in code.
    '@@(?:filename|switch)|^(?:///|###)[ \\t]*(?:file|link|copy):|\\+\\+\\+|---[^-\\s|]|^// @\\w',
    // Pipes in the code of tables, and references to headings of other pages.
    '`[^`|\\n]*\\||\\]\\[',
    // URLs of Docsify.
    '#/|\\?id=',
    // Headings in other scripts than Latin, perhaps as character references.
    '^[ \\t>:*+\\d.)-]*#[^\\n]*[&\\u00b5\\u0250-\\uffff]',
  ].join('|'),
  'm',
);

/** Lines of which those above may be a heading. */
const UNDERLINE = /\S[ \t]*\n[ \t>]*(?:=+|-+)[ \t]*$/m;

/**
 * Returns whether the generator a page was written for may change how it renders. Pages without any such syntax are
 * rendered once for all of them, so that versions before and after a change of generator share them.
 */
export function dependsOnGenerator(text: string): boolean {
  return FOREIGN.test(text) || (UNDERLINE.test(text) && /[&\u00b5\u0250-\uffff]/.test(text));
}
