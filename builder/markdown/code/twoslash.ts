/** Ends the code that only the type checker needs, or begins what only it needs at the end. */
const CUT = /^\s*\/\/\s*---cut(?:-(before|after|start|end))?---\s*$/;
/** Settings of the compiler (`// @errors: 2304`), but not the names of files, and queries below a line (`//   ^?`). */
const INSTRUCTION = /^\s*\/\/\s*(?:@(?!filename\b)\w+(?::|\s*$)|\^[\^?|])/;
/** Longer lines are code. */
const MAX_INSTRUCTION = 300;

/**
 * Returns the part of a TypeScript block that Twoslash shows: without what its cuts (`// ---cut---`) hide, and without
 * instructions to the compiler. What the compiler would add, such as types, is not computed.
 */
export function cutTwoslash(text: string): string {
  let lines: string[] = [];
  let isHidden = false;
  for (const line of text.split('\n')) {
    const isShort = line.length <= MAX_INSTRUCTION;
    const cut = isShort ? CUT.exec(line) : null;
    if (cut) {
      const [, kind = 'before'] = cut;
      if (kind === 'after') break;
      if (kind === 'before') lines = [];
      isHidden = kind === 'start';
    } else if (!isHidden && !(isShort && INSTRUCTION.test(line))) lines.push(line);
  }
  return lines.join('\n');
}
