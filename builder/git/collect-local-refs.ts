import { BuildError } from '../build-error.ts';
import type { Ref } from '../model.ts';
import type { GitObjectReader } from './create-object-reader.ts';
import type { RefFile, RefFiles } from './read-ref-files.ts';

/** Where branches and tags are; the last only counts for names no local branch has (`git clone` of a bundle). */
export const refPrefixes = ['refs/heads/', 'refs/tags/', 'refs/remotes/origin/'] as const;

const maxNestedTags = 10;

/**
 * Returns the branches and tags of a local repository, sorted by name, annotated tags peeled. Tags that lead to no
 * commit are left out.
 */
export async function collectLocalRefs(
  { refs }: RefFiles,
  readObject: GitObjectReader['readObject'],
): Promise<readonly Ref[]> {
  const branches = new Map<string, Ref>();
  const tags: Ref[] = [];
  const [heads, tagPrefix, tracked] = refPrefixes;
  for (const [name, { oid }] of refs) {
    if (name.startsWith(heads)) branches.set(name.slice(heads.length), toRef(name, heads, oid));
  }
  for (const [name, file] of refs) {
    const short = name.slice(tracked.length);
    if (name.startsWith(tracked) && short !== 'HEAD' && !branches.has(short)) {
      branches.set(short, toRef(name, tracked, file.oid));
    }
    if (name.startsWith(tagPrefix)) {
      const oid = isSurelyCommit(name, file) ? (file.peeled ?? file.oid) : await findCommit(file, readObject);
      if (oid !== undefined) tags.push({ ...toRef(name, tagPrefix, oid), kind: 'tag' });
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
 * packed-refs says what an annotated tag peels to, but not that it is a commit. Of tags that are named by a version
 * number it is believed: reading 1,000 commits to make sure would take longer than all the rest of opening.
 */
function isSurelyCommit(name: string, { peeled }: RefFile): boolean {
  return peeled !== undefined && /\/v?\d+(\.\d+)*$/.test(name);
}

async function findCommit(file: RefFile, readObject: GitObjectReader['readObject']): Promise<string | undefined> {
  let oid = file.peeled ?? file.oid;
  for (let depth = 0; depth < maxNestedTags; depth += 1) {
    const object = await readObject(oid).catch(ignoreDamage);
    // Who reads it as a version will say what is wrong.
    if (!object) return oid;
    const { type, bytes } = object;
    if (type === 'commit') return oid;
    if (type !== 'tag') return undefined;
    oid = /^object ([0-9a-f]{40})$/m.exec(bytes.toString('latin1'))?.[1] ?? '';
  }
  return undefined;
}

function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof BuildError && error.code === 'damaged-repository')) throw error;
}
