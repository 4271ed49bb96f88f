import type { Edits } from '../tables/edits.ts';
import { COLLECTIONS, type CollectionName } from '../tables/table.ts';
import type { Removal } from './collection-document.ts';
import type { CollectionFile } from './collection-file.ts';
import type { WriteBatch } from './group-commit.ts';

/** The files of all collections. */
export type CollectionFiles = Readonly<Record<CollectionName, CollectionFile>>;

/**
 * Creates the function that writes the files a batch has changed, one write a file. Where a project was removed with its
 * builds and deliveries, `projects.json` goes first and alone: with it stands or falls the removal.
 */
export function createWriteBatch(files: CollectionFiles): WriteBatch {
  return async (batch) => {
    // All at this moment: what callers change meanwhile belongs to the next batch.
    const saves = new Map([...collectKeys(batch)].map(([name, keys]) => [name, files[name].prepare(keys)]));
    const removals = batch.flatMap((edits) => findRemovals(edits, files));
    const failed = new Map<CollectionName, unknown>();
    const save = async (name: CollectionName): Promise<void> => {
      try {
        await saves.get(name)!();
      } catch (error) {
        failed.set(name, error);
      }
    };
    const { projects } = files;
    const before = projects.document.removed;
    if (saves.has('projects'))
      projects.document.removed = [...before.filter((one) => isNeeded(one, files)), ...removals];
    if (removals.length > 0) {
      await save('projects');
      if (failed.has('projects')) {
        projects.document.removed = before;
        return new Map(batch.filter(({ list }) => list.length > 0).map((edits) => [edits, failed.get('projects')]));
      }
      saves.delete('projects');
    }
    await Promise.all([...saves.keys()].map(save));
    return new Map(
      batch.flatMap((edits) => {
        // A removal's first edit is that of the project.
        const name = edits.list[0]?.collection;
        return name !== undefined && failed.has(name) ? [[edits, failed.get(name)] as const] : [];
      }),
    );
  };
}

function collectKeys(batch: readonly Edits[]): Map<CollectionName, Set<string>> {
  const keys = new Map<CollectionName, Set<string>>();
  for (const name of COLLECTIONS) {
    const changed = new Set(
      batch.flatMap(({ list }) => list.filter(({ collection }) => collection === name).map(({ key }) => key)),
    );
    if (changed.size > 0) keys.set(name, changed);
  }
  return keys;
}

/** Gives the project that edits remove, if they remove it from several files. */
function findRemovals({ list }: Edits, { builds, deliveries }: CollectionFiles): readonly Removal[] {
  const [first] = list;
  if (first?.collection !== 'projects' || list.length === 1) return [];
  const mark = (name: CollectionName, file: CollectionFile): number =>
    list.some(({ collection }) => collection === name) ? file.document.write : -1;
  return [{ project: first.key, builds: mark('builds', builds), deliveries: mark('deliveries', deliveries) }];
}

/** Tells whether a file, or the copy of it from before its last change, may still hold what was removed. */
function isNeeded(removal: Removal, { builds, deliveries }: CollectionFiles): boolean {
  return builds.document.write <= removal.builds + 1 || deliveries.document.write <= removal.deliveries + 1;
}
