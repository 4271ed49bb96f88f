import type { RoomRules } from '../../publish/find-misfits.ts';
import { isVersionName } from '../../refs/sort-versions.ts';
import type { VersionNotes } from './build-notes.ts';
import type { ChosenVersion } from './version-choices.ts';

/** Returns versions, given in readers' order, in that in which they get room: the latest, other versions by their names, the rest. */
export function rankVersions(versions: readonly ChosenVersion[]): readonly ChosenVersion[] {
  const [latest, ...others] = versions;
  return [
    ...(latest ? [latest] : []),
    ...others.filter(({ ref }) => isVersionName(ref)),
    ...others.filter(({ ref }) => !isVersionName(ref)),
  ];
}

/** Returns how ranked versions get room; `common` are the files of the search index, which grows with each page that no version before had. */
export function shareRoom(
  ranked: readonly ChosenVersion[],
  notes: Readonly<Record<string, Pick<VersionNotes, 'search'>>>,
  common: ReadonlySet<string>,
): RoomRules {
  const seen = new Set<string>();
  const counts = ranked.map(({ ref: { name } }) => {
    const before = seen.size;
    for (const { pages } of Object.values(notes[name]!.search)) for (const { key } of pages) seen.add(key);
    return [name, seen.size - before] as const;
  });
  const shares = new Map(counts.map(([name, count]) => [name, count / Math.max(1, seen.size)]));
  return { withoutGap: ranked.filter(({ ref }) => isVersionName(ref)).length + 1, common, shares };
}
