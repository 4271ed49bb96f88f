const MAX_SHOWN = 100;

/** Returns a name from outside as messages show it: in quotes, cut, and nothing in it that a terminal or log acts upon. */
export function quoteName(name: string): string {
  const characters = [...name.slice(0, 4 * MAX_SHOWN)];
  const shown = characters.slice(0, MAX_SHOWN).join('').replace(/\p{C}/gu, '\u{fffd}');
  const isWhole = characters.length <= MAX_SHOWN && name.length <= 4 * MAX_SHOWN;
  return `"${shown}${isWhole ? '' : '…'}"`;
}
