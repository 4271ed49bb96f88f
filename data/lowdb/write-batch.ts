import type { Changes } from '../tables/tables.ts';
import type { Removal } from './collection-document.ts';
import type { CollectionFile } from './collection-file.ts';
import type { WriteBatch } from './group-commit.ts';

/** In the place of a file's last write: it held nothing of what was removed. */
const NOTHING = -1;

/**
 * Creates the function that writes the files a batch has changed, one write a file. The audit log goes first and alone: what
 * is not in it must not happen. So does the file of an owner that was removed with what it owned: it decides whether the
 * removal happened, see `Removal`.
 */
export function createWriteBatch(files: readonly CollectionFile[]): WriteBatch {
  const owners = files.filter((file) => ownedBy(file, files).length > 0);
  return async (batch) => {
    const failed = await write(batch);
    // Where other files have been written with what is now taken back, their next write corrects it.
    for (const file of files) file.touch(collectKeys([...failed.keys()], file));
    return failed;
  };

  async function write(batch: readonly Changes[]): Promise<ReadonlyMap<Changes, unknown>> {
    // All at this moment: what callers change meanwhile belongs to the next batch.
    const saves = new Map(
      files.flatMap((file) => {
        const keys = collectKeys(batch, file);
        return keys.length > 0 ? [[file, file.prepare(keys)] as const] : [];
      }),
    );
    /** By the name of the collection. */
    const failed = new Map<string, unknown>();
    /** Fails all of the batch: each file was prepared with the changes of all steps. */
    const fail = (): ReadonlyMap<Changes, unknown> => {
      const [error] = failed.values();
      return new Map(batch.filter(({ list }) => list.length > 0).map((changes) => [changes, error]));
    };
    const save = async (file: CollectionFile): Promise<void> => {
      try {
        await saves.get(file)!();
      } catch (error) {
        failed.set(nameOf(file), error);
      }
    };
    for (const file of files.filter(({ table }) => table.collection.isWrittenFirst)) {
      if (!saves.has(file)) continue;
      await save(file);
      if (failed.size > 0) return fail();
      saves.delete(file);
    }
    for (const owner of owners.filter((file) => saves.has(file))) {
      const owned = ownedBy(owner, files);
      const removals = batch.flatMap((changes) => findRemoval(changes, owner, owned));
      const before = owner.document.removed;
      owner.document.removed = [...before.filter((one) => isNeeded(one, owned)), ...removals];
      if (removals.length === 0) continue;
      await save(owner);
      if (failed.size > 0) {
        owner.document.removed = before;
        return fail();
      }
      saves.delete(owner);
    }
    await Promise.all([...saves.keys()].map(save));
    return new Map(
      batch.flatMap((changes) => {
        // The first change decides: that of the owner where one was removed, else what the rule put first.
        const name = changes.list[0]?.collection;
        return name !== undefined && failed.has(name) ? [[changes, failed.get(name)] as const] : [];
      }),
    );
  }
}

/** Finishes removals that a crash cut short: the owner's file was written, the others were not. */
export function finishRemovals(files: readonly CollectionFile[]): void {
  for (const owner of files) {
    const owned = ownedBy(owner, files);
    for (const { owner: key, lastWrites } of owner.document.removed) {
      for (const file of owned) {
        if (file.document.write > findWrite(lastWrites, file)) continue;
        const keys = file.table.listOwned(key).map((record) => file.table.collection.keyOf(record));
        for (const one of keys) file.table.set(one, undefined);
        file.touch(keys);
      }
    }
    for (const { lastWrites } of owner.document.removed) {
      // A file that started empty continues from there, so that what it will hold is not taken for removed.
      for (const file of owned) file.document.write = Math.max(file.document.write, findWrite(lastWrites, file));
    }
  }
}

function nameOf({ table }: CollectionFile): string {
  return table.collection.name;
}

/** Returns the files of the collections whose records belong to those of this one. */
function ownedBy(owner: CollectionFile, files: readonly CollectionFile[]): readonly CollectionFile[] {
  return files.filter(({ table }) => table.collection.owner?.collection === owner.table.collection);
}

function collectKeys(batch: readonly Changes[], file: CollectionFile): readonly string[] {
  const name = nameOf(file);
  return batch.flatMap(({ list }) => list.filter(({ collection }) => collection === name).map(({ key }) => key));
}

/** Returns the removal of an owner together with records of other files, if that is what changes do. */
function findRemoval({ list }: Changes, owner: CollectionFile, owned: readonly CollectionFile[]): readonly Removal[] {
  const [first] = list;
  if (first?.collection !== nameOf(owner) || !first.isRemoval) return [];
  const lastWrites = owned.map((file) => {
    const isTouched = list.some(({ collection }) => collection === nameOf(file));
    return [nameOf(file), isTouched ? file.document.write : NOTHING] as const;
  });
  if (lastWrites.every(([, write]) => write === NOTHING)) return [];
  return [{ owner: first.key, lastWrites: new Map(lastWrites) }];
}

/** Returns whether a file, or the copy of it from before its last change, may still hold what was removed. */
function isNeeded({ lastWrites }: Removal, owned: readonly CollectionFile[]): boolean {
  return owned.some((file) => {
    const last = findWrite(lastWrites, file);
    return last !== NOTHING && file.document.write <= last + 1;
  });
}

function findWrite(lastWrites: Removal['lastWrites'], file: CollectionFile): number {
  return lastWrites.get(nameOf(file)) ?? NOTHING;
}
