/**
 * Returns what a text is sorted by as people sort: numbers in it by their value, so that `v2` comes before `v10`. Keys are compared by
 * UTF-16 code units; different texts have different keys.
 */
export function naturalKey(text: string): string {
  const key = text.replace(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '');
    return `${String(number.length).padStart(LENGTH_DIGITS, '0')}${number}`;
  });
  // Texts that differ only in zeros: v1 and v01. No name begins with a space, which comes before all that may follow.
  return `${key} ${text}`;
}

/** Digits of the number of digits: texts are at most 1,000 characters long where they are sorted. */
const LENGTH_DIGITS = 4;
