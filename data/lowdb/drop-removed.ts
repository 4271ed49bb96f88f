import type { Table } from '../tables/table.ts';
import type { Tables } from '../tables/tables.ts';
import type { CollectionFile } from './collection-file.ts';
import type { CollectionFiles } from './write-batch.ts';

/** Finishes removals of projects that a crash cut short: `projects.json` was written, the other files were not. */
export function dropRemoved({ builds, deliveries }: Tables, files: CollectionFiles): void {
  for (const removal of files.projects.document.removed) {
    drop(builds, files.builds, builds.byProject.group(removal.project), removal.builds);
    drop(deliveries, files.deliveries, deliveries.byProject.group(removal.project), removal.deliveries);
  }
  for (const removal of files.projects.document.removed) {
    skipTo(files.builds, removal.builds);
    skipTo(files.deliveries, removal.deliveries);
  }
}

function drop<T>(table: Table<T>, file: CollectionFile, records: readonly T[], lastWrite: number): void {
  if (file.document.write > lastWrite) return;
  const keys = records.map(table.keyOf);
  for (const key of keys) table.set(key, undefined);
  file.touch(keys);
}

/** A file that began anew counts on from there, lest what it will hold be taken for removed. */
function skipTo({ document }: CollectionFile, write: number): void {
  document.write = Math.max(document.write, write);
}
