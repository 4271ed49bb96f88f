import { createGlob, MAX_GLOB_LENGTH } from '../../../lib/match-glob.ts';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import { profileOf } from '../../generators/generators.ts';
import { folderOf, isPageFile } from '../../page-path.ts';
import type { SourceFile } from '../files/walk-tree.ts';
import type { GeneratorSite } from './describe-site.ts';

const MAX_PATTERNS = 200;

/** Marks the files that are not pages for their generator: by its configuration, or by its own rules. */
export function leaveOut(files: readonly SourceFile[], site: GeneratorSite | undefined): readonly SourceFile[] {
  if (!site) return files;
  const isExcluded = createExclusion(site.exclude);
  const indexes = new Set<string>();
  const rules = profileOf(site.generator).leavesOut;
  if (rules?.readmes) {
    for (const { path } of files) if (/(?:^|\/)index\.(?:md|markdown|html)$/i.test(path)) indexes.add(folderOf(path));
  }
  const isLeftOut = ({ path }: SourceFile): boolean =>
    isPageFile(path) &&
    (isExcluded(path) ||
      rules?.paths?.test(path) ||
      (/(?:^|\/)readme\.[^/.]*$/i.test(path) && indexes.has(folderOf(path))));
  return files.map((file) => (isLeftOut(file) ? { ...file, isLeftOut: true } : file));
}

/** Creates a test for globs in the form of configurations: of files, of folders, and of names in any folder. */
function createExclusion(patterns: readonly string[]): (path: string) => boolean {
  const globs = patterns.slice(0, MAX_PATTERNS).flatMap((written) => {
    const pattern = trimCharacters(written.trim().replace(/^\.?\/+/, ''), '/');
    if (pattern === '' || pattern.length > MAX_GLOB_LENGTH) return [];
    const isAnchored = pattern.includes('/') || /^\.?\//.test(written.trim());
    const anywhere = isAnchored ? [] : [`**/${pattern}`, `**/${pattern}/**`];
    return [pattern, `${pattern}/**`, ...anywhere].map(createGlob);
  });
  return (path) => globs.some((matches) => matches(path));
}
