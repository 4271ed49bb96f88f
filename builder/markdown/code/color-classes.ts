import { tokenClasses } from './token-classes.ts';

/** Class of a token by the variable that Shiki's CSS-variables theme uses for its colour; what is not here has no span. */
const classOfVariable = new Map<string, string>([
  ['token-keyword', tokenClasses.keyword],
  ['token-string', tokenClasses.string],
  ['token-string-expression', tokenClasses.stringExpression],
  ['token-constant', tokenClasses.constant],
  ['token-function', tokenClasses.function],
  ['token-parameter', tokenClasses.parameter],
  ['token-comment', tokenClasses.comment],
  ['token-punctuation', tokenClasses.punctuation],
  ['token-link', tokenClasses.link],
  ['token-inserted', tokenClasses.inserted],
  ['token-deleted', tokenClasses.deleted],
]);

/** Returns the class of each colour number a grammar may answer, '' for the colour of plain code. */
export function createColorClasses(
  colorMap: readonly (string | undefined)[],
  replacements: Readonly<Record<string, string>>,
): readonly string[] {
  return Array.from(colorMap, (color) => {
    const variable = /^var\((.+)\)$/.exec(replacements[color?.toLowerCase() ?? ''] ?? '')?.[1];
    return classOfVariable.get(variable ?? '') ?? '';
  });
}
