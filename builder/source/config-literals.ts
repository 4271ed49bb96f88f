/** Returns the value of a key at the left margin of a YAML or TOML file, or of JSON's outermost map. */
export function findSetting(text: string, key: string): string | undefined {
  const pattern = new RegExp(
    `^(?:[ \\t]{0,4}")?${key}"?[ \\t]*[:=][ \\t]*(?:"([^"\\n]*)"|'([^'\\n]*)'|([^\\s#'"{\\[|>&*!][^#\\n]*))`,
    'im',
  );
  const match = pattern.exec(text);
  const value = (match?.[1] ?? match?.[2] ?? match?.[3])?.trim();
  return value === '' ? undefined : value;
}

/** Returns the string that a key of a script's object has, where it stands there as a literal. */
export function findLiteral(script: string, key: string): string | undefined {
  const match = new RegExp(
    `(?:^|[\\s,{(])['"]?${key}['"]?\\s*:\\s*(?:'([^'\\\\\\n]*)'|"([^"\\\\\\n]*)"|\`([^\`\\\\$\\n]*)\`)`,
  ).exec(script);
  return match?.[1] ?? match?.[2] ?? match?.[3];
}

/** Returns what stands between the brace that a pattern ends in and its counterpart. */
export function findBlock(script: string, opening: RegExp): string | undefined {
  const match = opening.exec(script);
  if (!match) return undefined;
  const start = match.index + match[0].length;
  let depth = 1;
  for (let at = start; at < script.length; at++) {
    const character = script[at]!;
    if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return script.slice(start, at);
    else if (character === '"' || character === "'" || character === '`') at = endOfString(script, at);
  }
  return undefined;
}

/** Returns a script without its comments; strings stay as they are. */
export function withoutComments(script: string): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < script.length; at++) {
    const character = script[at]!;
    if (character === '"' || character === "'" || character === '`') at = endOfString(script, at);
    else if (character === '/' && (script[at + 1] === '/' || script[at + 1] === '*')) {
      const isLine = script[at + 1] === '/';
      const end = script.indexOf(isLine ? '\n' : '*/', at + 2);
      text += script.slice(from, at);
      if (end < 0) return text;
      from = isLine ? end : end + 2;
      at = from - 1;
    }
  }
  return text + script.slice(from);
}

/** Returns the place of the quote that ends a string, or of the end of its line when there is none. */
function endOfString(script: string, start: number): number {
  const quote = script[start]!;
  for (let at = start + 1; at < script.length; at++) {
    const character = script[at]!;
    if (character === '\\') at++;
    else if (character === quote || (character === '\n' && quote !== '`')) return at;
  }
  return script.length;
}
