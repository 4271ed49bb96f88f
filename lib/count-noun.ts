/** Returns a number with an English noun whose plural ends in "s": "1 page", "2 pages". */
export function countNoun(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
