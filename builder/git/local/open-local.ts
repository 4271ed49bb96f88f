import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRepositoryAddress } from '../../../lib/repository-address.ts';
import { BuildError } from '../../build-error.ts';
import type { PastReader, Ref, Repository } from '../../model.ts';
import { chooseHead } from '../choose-head.ts';
import { createObjectReader, type GitObjectReader } from '../objects/object-reader.ts';
import type { GitFolders } from './find-git-folder.ts';
import { type RefFile, type RefFiles, readRefFiles } from './read-ref-files.ts';
import { readRepositorySettings } from './read-repository-settings.ts';

/** Opens a local repository for reading; nothing is ever written to it. */
export async function openLocal(label: string, folders: GitFolders): Promise<Repository> {
  const settings = readRepositorySettings(label, folders.commonFolder);
  const reader = createObjectReader({
    commonFolder: folders.commonFolder,
    hint: settings.isPartial
      ? `: "${label}" is a partial clone; fetch all of it with git fetch --refetch --no-filter`
      : '',
  });
  const files = readRefFiles(
    folders,
    REF_PREFIXES.map((prefix) => prefix.slice(0, -1)),
  );
  const refs: Ref[] = [...(await collectLocalRefs(files, reader.readObject))];
  if (refs.length === 0 && files.headOid !== undefined) {
    refs.push({ name: 'current', kind: 'worktree', oid: files.headOid });
  }
  if (refs.length === 0) throw new BuildError('no-refs', `Repository "${label}" has no commits yet`);
  return {
    kind: 'local',
    label,
    webUrl: settings.origin === undefined ? undefined : parseRepositoryAddress(settings.origin).webUrl,
    head: chooseHead(refs, { branch: files.headTarget?.replace(/^refs\/heads\//, ''), oid: files.headOid }),
    refs,
    readCommit: reader.readCommit,
    readTree: reader.readTree,
    readBlob: reader.readBlob,
    past: createLocalPast(folders.commonFolder, reader),
    async fetch(wanted, listener) {
      for (const ref of wanted) listener?.onFetched?.(ref);
    },
    async close() {
      reader.forget();
    },
  };
}

/** Returns what a local repository knows of the past of its commits; see `PastReader`. */
export function createLocalPast(commonFolder: string, reader: GitObjectReader): PastReader {
  const shallow = readShallow(commonFolder);
  return {
    find: (oid) => (shallow.has(oid) ? undefined : oid),
    async readCommit(oid) {
      const past = await reader.findPast(oid);
      return past && shallow.has(oid) ? { ...past, parents: undefined } : past;
    },
    readTree: reader.readTree,
  };
}

/** Returns the commits of a shallow clone whose parents were not fetched; see git's Documentation/technical/shallow. */
function readShallow(commonFolder: string): ReadonlySet<string> {
  try {
    return new Set(readFileSync(join(commonFolder, 'shallow'), 'latin1').split('\n'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set();
    throw new BuildError('damaged-repository', `Cannot read "shallow": ${(error as Error).message}`, { cause: error });
  }
}

/** Prefixes of branches and tags; the last counts only for names without a local branch (`git clone` of a bundle). */
const REF_PREFIXES = ['refs/heads/', 'refs/tags/', 'refs/remotes/origin/'] as const;

const MAX_NESTED_TAGS = 10;

/**
 * Returns the branches and tags of a local repository, sorted by name, annotated tags peeled. A tag may lead to something other
 * than a commit, as those of remote repositories may.
 */
async function collectLocalRefs(
  { refs }: RefFiles,
  readObject: GitObjectReader['readObject'],
): Promise<readonly Ref[]> {
  const branches = new Map<string, Ref>();
  const tags: Ref[] = [];
  const [heads, tagPrefix, tracked] = REF_PREFIXES;
  for (const [name, { oid }] of refs) {
    if (name.startsWith(heads)) branches.set(name.slice(heads.length), toRef(name, heads, oid));
  }
  for (const [name, file] of refs) {
    const short = name.slice(tracked.length);
    if (name.startsWith(tracked) && short !== 'HEAD' && !branches.has(short)) {
      branches.set(short, toRef(name, tracked, file.oid));
    }
    if (name.startsWith(tagPrefix)) {
      const oid = isSurelyCommit(name, file) ? (file.peeled ?? file.oid) : await peelTag(file, readObject);
      tags.push({ ...toRef(name, tagPrefix, oid), kind: 'tag' });
    }
  }
  return [...sortByName([...branches.values()]), ...sortByName(tags)];
}

function toRef(name: string, prefix: string, oid: string): Ref {
  return { name: name.slice(prefix.length), kind: 'branch', oid };
}

function sortByName(refs: readonly Ref[]): readonly Ref[] {
  return refs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * packed-refs says what an annotated tag peels to, but not that it is a commit. Tags named by a version number are
 * trusted: reading 1,000 commits to verify them would take longer than the rest of opening.
 */
function isSurelyCommit(name: string, { peeled }: RefFile): boolean {
  return peeled !== undefined && /\/v?\d+(\.\d+)*$/.test(name);
}

/** Returns what a tag leads to: a commit, as a rule. */
async function peelTag(file: RefFile, readObject: GitObjectReader['readObject']): Promise<string> {
  let oid = file.peeled ?? file.oid;
  for (let depth = 0; depth < MAX_NESTED_TAGS; depth += 1) {
    const object = await readObject(oid).catch(ignoreDamage);
    // Reading it as a version reports what is wrong.
    if (object?.type !== 'tag') return oid;
    const inner = /^object ([0-9a-f]{40})$/m.exec(object.bytes.toString('latin1'))?.[1];
    if (inner === undefined) return oid;
    oid = inner;
  }
  return oid;
}

function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof BuildError && error.code === 'damaged-repository')) throw error;
}
