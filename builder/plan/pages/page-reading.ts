import type { GeneratorSite } from '../../source/generators/describe-site.ts';

/** What the configuration of a generator decides about the text of its pages. */
export interface PageReading extends Readonly<GeneratorSite['reading']> {
  readonly aliases: GeneratorSite['aliases'];
  /** Equal for equal readings; '' where nothing is configured. */
  readonly key: string;
}

const NOTHING: PageReading = { includeFolders: [], appended: [], hasReferences: false, aliases: [], key: '' };
const known = new WeakMap<GeneratorSite, PageReading>();

/** Returns how the pages of a site are read. */
export function readingOf(site: GeneratorSite | undefined): PageReading {
  if (site === undefined) return NOTHING;
  const found = known.get(site);
  if (found) return found;
  const { reading, aliases } = site;
  const isPlain = reading.includeFolders.length + reading.appended.length + aliases.length === 0;
  const key = isPlain && !reading.hasReferences ? '' : JSON.stringify([reading, aliases]);
  const made = { ...reading, aliases, key };
  known.set(site, made);
  return made;
}
