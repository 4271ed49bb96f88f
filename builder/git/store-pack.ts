import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackEntries } from './pack-entries.ts';
import { encodeIndex } from './pack-index.ts';

/** A pack that is written: its entries and the checksum it ends with. */
export interface WrittenPack {
  readonly entries: PackEntries;
  readonly checksum: Buffer;
}

/**
 * Stores a pack with its index: both appear whole, under the name that the checksum gives them, or not at all. Returns
 * this name, or undefined when `write` gives no pack.
 */
export async function storePack(
  packFolder: string,
  write: (file: FileHandle) => Promise<WrittenPack | undefined>,
): Promise<string | undefined> {
  const temporary = join(packFolder, `${randomUUID()}.tmp`);
  const file = await open(temporary, 'wx+');
  try {
    const pack = await write(file);
    if (!pack) return undefined;
    const name = `pack-${pack.checksum.toString('hex')}`;
    await writeFile(`${temporary}.idx`, encodeIndex(pack.entries, pack.checksum));
    // Readers look for the index first.
    await rename(temporary, join(packFolder, `${name}.pack`));
    await rename(`${temporary}.idx`, join(packFolder, `${name}.idx`));
    return name;
  } finally {
    await file.close();
    await rm(temporary, { force: true });
    await rm(`${temporary}.idx`, { force: true });
  }
}

/** Removes a pack. Whoever has opened it can go on reading. */
export async function removePack(packFolder: string, name: string): Promise<void> {
  await rm(join(packFolder, `${name}.idx`), { force: true });
  await rm(join(packFolder, `${name}.pack`), { force: true });
}
