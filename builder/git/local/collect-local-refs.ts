import type { Stats } from 'node:fs';
import type { PromiseFsClient } from 'isomorphic-git';
import * as git from 'isomorphic-git';
import { GitRefManager } from 'isomorphic-git/managers';
import { hasCode } from '../../../lib/system-error.ts';
import { BuildError } from '../../build-error.ts';
import type { Ref } from '../../model.ts';
import { type GitObjectReader, parseTag } from '../objects/object-reader.ts';
import type { Head } from './choose-head.ts';

export interface GitRepository {
  readonly fs: PromiseFsClient;
  readonly gitdir: string;
}

/** Prefixes of branches and tags; the last counts only for names without a local branch (`git clone` of a bundle). */
const PREFIXES = ['refs/heads/', 'refs/tags/', 'refs/remotes/origin/'] as const;

const MAX_NESTED_TAGS = 10;

/** Reads HEAD. Throws `BuildError`. */
export async function readLocalHead(repository: GitRepository): Promise<Head> {
  const value = await git.resolveRef({ ...repository, ref: 'HEAD', depth: 2 }).catch((cause: unknown) => {
    throw new BuildError('damaged-repository', `Cannot read HEAD of "${repository.gitdir}"`, { cause });
  });
  if (isOid(value)) return { branch: undefined, oid: value };
  return { branch: value.replace(/^refs\/heads\//, ''), oid: undefined };
}

/**
 * Returns the branches and tags of a local repository, sorted by name, annotated tags peeled. A tag may lead to something other
 * than a commit, as those of remote repositories may. Symbolic refs are followed; those without a target are left out.
 */
export async function collectLocalRefs(repository: GitRepository, reader: GitObjectReader): Promise<readonly Ref[]> {
  const oids = await readRefs(repository);
  const branches = new Map<string, Ref>();
  const tags: Ref[] = [];
  const [heads, tagPrefix, tracked] = PREFIXES;
  const add = (name: string, prefix: string, oid: string) => {
    const short = name.slice(prefix.length);
    if (!branches.has(short)) branches.set(short, { name: short, kind: 'branch', oid });
  };
  for (const [name, oid] of oids) if (name.startsWith(heads)) add(name, heads, oid);
  for (const [name, oid] of oids) {
    if (name.startsWith(tracked) && name !== `${tracked}HEAD`) add(name, tracked, oid);
    if (!name.startsWith(tagPrefix) || name.endsWith('^{}')) continue;
    // packed-refs says what an annotated tag leads to, but not that it is a commit. Tags named by a version number are
    // trusted: reading 1,000 commits to verify them would take longer than the rest of opening.
    const peeled = oids.get(`${name}^{}`);
    const isTrusted = peeled !== undefined && /\/v?\d+(\.\d+)*$/.test(name);
    const target = isTrusted ? peeled : await peelTag(reader, peeled ?? oid);
    tags.push({ name: name.slice(tagPrefix.length), kind: 'tag', oid: target });
  }
  return [...sortByName([...branches.values()]), ...sortByName(tags)];
}

function sortByName(refs: readonly Ref[]): readonly Ref[] {
  return refs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Returns the id of every ref by its full name, and beside an annotated tag in packed-refs, as `NAME^{}`, what it leads to.
 * packed-refs is read after the loose refs, as git does it: one that is packed meanwhile is in either. isomorphic-git's own
 * `GitRefManager` reads it once: `resolveRef` reads it for every ref, which takes 0.8 s for 1,255 tags. isomorphic-git's issue 1495
 * asks for such doors.
 */
async function readRefs(repository: GitRepository): Promise<ReadonlyMap<string, string>> {
  const { fs, gitdir } = repository;
  const failures: BuildError[] = [];
  const loose = { fs: showLooseRefs(fs, failures), gitdir };
  const refs = new Map<string, string>();
  const symbolic = new Map<string, string>();
  for (const name of await git.listRefs({ ...loose, filepath: 'refs' })) {
    const ref = `refs/${name}`;
    // git is about to write it.
    if (name.endsWith('.lock') || !PREFIXES.some((prefix) => ref.startsWith(prefix))) continue;
    const value = await git.resolveRef({ ...loose, ref, depth: 2 }).catch(async (cause: unknown) => {
      const found = await fs.promises.stat(`${gitdir}/${ref}`).catch(() => undefined);
      if (found === undefined || (found as Stats).isDirectory()) return undefined;
      const message = `Ref "${ref}" is damaged: its file does not contain an object id`;
      throw new BuildError('damaged-repository', message, { cause });
    });
    if (value !== undefined) (isOid(value) ? refs : symbolic).set(ref, value);
  }
  if (failures[0]) throw failures[0];
  const read = (path: string) =>
    fs.promises.readFile(path, 'utf8').catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT', 'EISDIR')) throw error;
      return null;
    });
  const packed: ReadonlyMap<string, string> = await GitRefManager.packedRefs({ fs: { read }, gitdir });
  for (const [name, oid] of packed) {
    const ref = name.replace(/\^\{\}$/, '');
    const known = refs.get(ref) ?? symbolic.get(ref) ?? packed.get(ref);
    if (known === packed.get(ref)) refs.set(name, oid);
  }
  for (const ref of symbolic.keys()) {
    const oid = await git.resolveRef({ ...repository, ref }).catch(() => undefined);
    if (oid !== undefined) refs.set(ref, oid);
  }
  for (const oid of refs.values())
    if (!isOid(oid)) throw new BuildError('damaged-repository', '"packed-refs" is damaged');
  return refs;
}

/**
 * Returns a view of a git folder without packed-refs. A folder or file that goes while it is listed leaves the others in place, and
 * other failures are noted: for isomorphic-git's `listRefs` there would be no refs at all.
 */
function showLooseRefs(fs: PromiseFsClient, failures: BuildError[]): PromiseFsClient {
  const { readFile, readdir, lstat } = fs.promises;
  const orElse =
    <T>(answer: T) =>
    (error: NodeJS.ErrnoException): T => {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) {
        failures.push(new BuildError('damaged-repository', `Cannot read the refs: ${error.message}`, { cause: error }));
      }
      return answer;
    };
  const view = {
    ...fs.promises,
    readFile: async (path: string, options: unknown) => (/\/packed-refs$/.test(path) ? '' : readFile(path, options)),
    readdir: (path: string) => readdir(path).catch(orElse([])),
    stat: (path: string) => lstat(path).catch(orElse({ isFile: () => true, isDirectory: () => false })),
  };
  return { promises: view as unknown as PromiseFsClient['promises'] };
}

/** Returns what a tag leads to: a commit, as a rule. */
async function peelTag(reader: GitObjectReader, first: string): Promise<string> {
  let oid = first;
  for (let depth = 0; depth < MAX_NESTED_TAGS; depth += 1) {
    // Reading it as a version reports what is wrong.
    const object = await reader.findObject(oid).catch(ignoreDamage);
    const target = object?.type === 'tag' ? parseTag(object.bytes) : undefined;
    if (target === undefined) break;
    oid = target;
  }
  return oid;
}

function isOid(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof BuildError && error.code === 'damaged-repository')) throw error;
}
