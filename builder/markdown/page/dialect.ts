import type { Dialect } from '../../generators/generator.ts';
import { type Generator, rulesOf } from '../../generators/generators.ts';

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
  hasDashes: false,
  hasMagicComments: false,
  headingIds: undefined,
};

/** Returns the dialect of a page. An `.mdx` file is JSX for all generators. */
export function findDialect(generator: Generator | undefined, isMdx: boolean): Dialect {
  const dialect = { ...PLAIN, ...rulesOf(generator).dialect };
  return isMdx ? { ...dialect, jsx: true, expressions: true, liquid: 'text' } : dialect;
}

/** Returns whether a generator changes how texts without any of its syntax are rendered: all headings have ids of their own. */
export function changesAllPages(generator: Generator | undefined): boolean {
  return rulesOf(generator).dialect?.headingIds === 'cased';
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
    // Dashes in text, but not below the heads of tables.
    '^(?![-|:> \\t]*$).*--',
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
