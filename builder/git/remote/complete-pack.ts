import type { FileHandle } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { BuildError } from '../../build-error.ts';
import { applyDelta, FormatError } from '../objects/delta.ts';
import { hashObject, type RawObject } from '../objects/object-folders.ts';
import { addEntry, type PackEntries } from '../objects/pack-entries.ts';
import { createEntryReader, encodeEntryHeader, OBJECT_TYPES } from '../objects/pack-file.ts';
import { rewriteCount } from '../objects/store-pack.ts';
import type { PackLimits, ReceivedPack } from './receive-pack.ts';
import { AnswerError } from './remote-errors.ts';

/** What completing a pack needs. */
export interface CompletionOptions {
  readonly file: FileHandle;
  readonly limits: PackLimits;
  /** Returns an object of the local repository; undefined if it is missing, contrary to what the server was told. */
  readonly readBase: (oid: string) => Promise<RawObject | undefined>;
  /** Aborts the work when it takes too long. */
  readonly signal: AbortSignal;
}

/** Cache limit in bytes for objects that deltas build upon; others are recomputed. */
const MAX_HELD_BYTES = 48 * 1024 * 1024;

/**
 * Resolves the deltas of a received pack and adds the bases it lacks, each once, so that the pack is self-contained, as
 * packs on disk must be. Writes its checksum and returns it. Throws `AnswerError` when the pack is damaged, `BuildError`
 * `damaged-repository` when a base does not exist.
 */
export async function completePack(pack: ReceivedPack, options: CompletionOptions): Promise<Buffer> {
  const { entries, waiting } = pack;
  const { file, signal } = options;
  let { end } = pack;
  const resolveFrom = createResolver(pack, () => end, options);
  try {
    const received = entries.count;
    for (let entry = 0; entry < received; entry += 1) await resolveFrom(entry);
    // In the order of the pack: earlier objects are likely the bases of later ones.
    for (const oid of waiting.keys()) {
      const base = await options.readBase(oid);
      if (!base) continue;
      const bytes = encodeEntry(base);
      await file.appendFile(bytes);
      const entry = addEntry(entries, end);
      end += bytes.length;
      entries.crcs[entry] = crc32(bytes);
      setObject(entries, entry, base, oid);
      await resolveFrom(entry);
    }
    if (entries.types.subarray(0, entries.count).includes(0)) {
      const message = 'The server sent deltas against objects that are not here';
      throw new BuildError('damaged-repository', message);
    }
    const checksum = entries.count === received ? pack.checksum : await rewriteCount(file, entries.count, end, signal);
    await file.appendFile(checksum);
    return checksum;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new AnswerError(`sent a damaged pack: ${error.message}`, { cause: error });
  }
}

/** An object in a chain from a whole object to the deltas that build upon it. */
interface Step {
  readonly entry: number;
  /** Undefined if it was dropped to save memory. */
  bytes: Buffer | undefined;
}

/** Creates a function that resolves all deltas that build upon an entry, if it is resolved itself. */
function createResolver(
  { entries, waiting }: ReceivedPack,
  findEnd: () => number,
  { file, limits, signal }: CompletionOptions,
): (root: number) => Promise<void> {
  const { first, next } = listChildren(entries, entries.count + waiting.size);
  const read = createEntryReader(file.fd, findEnd, limits.maxObjectBytes);
  const readContent = (entry: number): Buffer => read(entries.offsets[entry]!).bytes;
  let steps: Step[] = [];
  let held = 0;

  /** Joins deltas that name their base by its id to those that name it by its place. */
  const findWaiting = (entry: number): void => {
    if (waiting.size === 0) return;
    const oid = entries.oids.toString('hex', entry * 20, entry * 20 + 20);
    for (const child of waiting.get(oid) ?? []) {
      next[child] = first[entry]!;
      first[entry] = child;
    }
    waiting.delete(oid);
  };
  const hold = (step: Step, bytes: Buffer): Buffer => {
    step.bytes = bytes;
    held += bytes.length;
    for (const other of steps) {
      if (held <= MAX_HELD_BYTES) break;
      if (other === step || !other.bytes) continue;
      held -= other.bytes.length;
      other.bytes = undefined;
    }
    return bytes;
  };
  const getBytes = (place: number): Buffer => {
    let known = place;
    while (known > 0 && !steps[known]!.bytes) known -= 1;
    let bytes = steps[known]!.bytes ?? hold(steps[known]!, readContent(steps[known]!.entry));
    for (let at = known + 1; at <= place; at += 1) {
      const step = steps[at]!;
      bytes = hold(step, applyDelta(bytes, readContent(step.entry), limits.maxObjectBytes));
    }
    return bytes;
  };

  return async (root) => {
    if (entries.types[root] === 0) return;
    findWaiting(root);
    if (first[root] === -1) return;
    steps = [{ entry: root, bytes: undefined }];
    held = 0;
    while (steps.length > 0) {
      const step = steps.at(-1)!;
      const child = first[step.entry]!;
      if (child === -1) {
        held -= steps.pop()!.bytes?.length ?? 0;
        continue;
      }
      first[step.entry] = next[child]!;
      const bytes = applyDelta(getBytes(steps.length - 1), readContent(child), limits.maxObjectBytes);
      setObject(entries, child, { type: OBJECT_TYPES[entries.types[root]!]!, bytes });
      findWaiting(child);
      if (first[child] !== -1) {
        steps.push({ entry: child, bytes: undefined });
        hold(steps.at(-1)!, bytes);
      }
      const turn = yieldToEventLoop();
      if (turn) {
        await turn;
        signal.throwIfAborted();
      }
    }
  };
}

/** Returns for each entry the first of the deltas based on it, and for each delta the next one with the same base. */
function listChildren(
  { count, bases }: PackEntries,
  room: number,
): { readonly first: Int32Array; readonly next: Int32Array } {
  const first = new Int32Array(room).fill(-1);
  const next = new Int32Array(room).fill(-1);
  for (let entry = count - 1; entry >= 0; entry -= 1) {
    const base = bases[entry]!;
    if (base < 0) continue;
    next[entry] = first[base]!;
    first[base] = entry;
  }
  return { first, next };
}

function setObject(entries: PackEntries, entry: number, object: RawObject, oid = hashObject(object)): void {
  entries.types[entry] = OBJECT_TYPES.indexOf(object.type);
  entries.oids.write(oid, entry * 20, 'hex');
}

function encodeEntry({ type, bytes }: RawObject): Buffer {
  return Buffer.concat([encodeEntryHeader(OBJECT_TYPES.indexOf(type), bytes.length), deflateSync(bytes)]);
}
