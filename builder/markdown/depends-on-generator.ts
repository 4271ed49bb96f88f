/** What `findDialect` and the rules that ask it make a difference of. */
const FOREIGN = new RegExp(
  [
    // Tags of templates, expressions, attributes; tags of HTML hold Markdown in JSX.
    '[{<]',
    // In JSX nothing is code because it is indented.
    ' {4}|\\t',
    // Marks, keys, insertions of MkDocs, and names of Python's objects.
    '==|\\+\\+|\\^|~|:::',
    '^(?:import|export)\\s',
    // Inside code: snippets, hidden lines of Rust, comments that mark lines.
    '8<-|``` *rust|highlight-',
  ].join('|'),
  'm',
);

/**
 * Returns whether the generator a page was written for may change how it renders. Pages without any such syntax are
 * rendered once for all of them, so that versions before and after a change of generator share them.
 */
export function dependsOnGenerator(text: string): boolean {
  return FOREIGN.test(text);
}
