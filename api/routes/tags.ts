/** What there is, in the order in which people read of it. */
const TAGS: ReadonlyMap<string, { readonly title: string; readonly description: string }> = new Map([
  ['docbuild', { title: 'Documentation', description: 'Projects of documentation, their builds and badges' }],
  ['inclusion', { title: 'Inclusion queries', description: 'Whether a search engine has a page' }],
  ['image', { title: 'Daily image', description: 'The picture of the day' }],
  ['ip', { title: 'IP look-up', description: 'Where an IP address is used' }],
  ['cron', { title: 'Cron preview', description: 'When a line of a crontab runs' }],
  ['short URLs', { title: 'Short URLs', description: 'Short addresses that lead to long ones' }],
  ['accounts', { title: 'Accounts', description: 'Login, logout, registration' }],
  ['console', { title: 'Console', description: 'Pages for people who are logged in' }],
  ['service', { title: 'Service', description: 'The service itself' }],
]);

/** Gives what a tag is called on pages for people. */
export function titleOf(tag: string): string {
  return TAGS.get(tag)?.title ?? tag;
}

/** Gives tags once each in their order, with what they are for; ones that are not known come last. */
export function sortTags(tags: Iterable<string>): readonly { readonly name: string; readonly description?: string }[] {
  const used = new Set(tags);
  const known = [...TAGS.keys()].filter((name) => used.has(name));
  const others = [...used].filter((name) => !TAGS.has(name)).sort();
  return [...known, ...others].map((name) => {
    const description = TAGS.get(name)?.description;
    return { name, ...(description !== undefined && { description }) };
  });
}
