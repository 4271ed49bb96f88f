/** Returns a Docusaurus name without its number; years, dates and versions are not such numbers. */
export function withoutNumber(name: string): string {
  return findNumber(name) === undefined ? name : name.replace(/^\d+\s*[-_.]+\s*/, '');
}

/** Returns the number before a name, by which Docusaurus orders it. */
export function findNumber(name: string): number | undefined {
  if (/^\d+[-_.]\d/.test(name)) return undefined;
  const number = /^(\d{1,9})\s*[-_.]+\s*[^-_.\s]/.exec(name)?.[1];
  return number === undefined || /^\d+\s*[-_.]+(?:html?|mdx?)$/i.test(name) ? undefined : Number(number);
}
