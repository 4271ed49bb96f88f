/**
 * Classes of the spans in highlighted code, and what they mean; text without a span has the code's own colour. The
 * theme's CSS gives each a colour, for light and dark.
 */
export const tokenClasses = {
  /** `const`, `if`, JSON keys, YAML keys */
  keyword: 'tk',
  /** Strings of Markdown and the like, their marks */
  string: 'ts',
  /** Quoted strings, templates, regular expressions, names of HTML tags */
  stringExpression: 'tx',
  /** Numbers, `true`, `this`, built-ins, CSS properties */
  constant: 'tc',
  /** Names of functions, types, HTML attributes */
  function: 'tf',
  /** Names of parameters */
  parameter: 'tp',
  comment: 'tm',
  /** Separators and brackets of calls */
  punctuation: 'tu',
  link: 'tl',
  /** Line that a diff adds */
  inserted: 'ti',
  /** Line that a diff takes away */
  deleted: 'td',
} as const;
