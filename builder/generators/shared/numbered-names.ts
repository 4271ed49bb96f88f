/** Returns a path without the numbers of its names. */
export function withoutNumbers(path: string): string {
  return path.split('/').map(withoutNumber).join('/');
}

/** Returns a name without the number by which Docusaurus and Nuxt Content order it; years, dates and versions are not such numbers. */
export function withoutNumber(name: string): string {
  return findNumber(name) === undefined ? name : name.replace(/^\d+\s*[-_.]+\s*/, '');
}

/** Returns the number before a name, by which it is ordered. */
export function findNumber(name: string): number | undefined {
  if (/^\d+[-_.]\d/.test(name)) return undefined;
  const number = /^(\d{1,9})\s*[-_.]+\s*[^-_.\s]/.exec(name)?.[1];
  return number === undefined || /^\d+\s*[-_.]+(?:html?|mdx?)$/i.test(name) ? undefined : Number(number);
}
