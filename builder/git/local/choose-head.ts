import type { Ref } from '../../model.ts';

/** The content of HEAD: the branch it names, the commit it points to. */
export interface Head {
  readonly branch: string | undefined;
  readonly oid: string | undefined;
}

/**
 * Returns the name of the default branch: the one HEAD names; for a detached HEAD a branch, else a tag, at its commit;
 * else `main` or `master`; else undefined.
 */
export function chooseHead(refs: readonly Ref[], head: Head): string | undefined {
  const branches = refs.filter(({ kind }) => kind !== 'tag');
  const named = branches.find(({ name }) => name === head.branch);
  if (named !== undefined) return named.name;
  const usual = ['main', 'master'].flatMap((name) => branches.find((ref) => ref.name === name) ?? []);
  const candidates = [...usual, ...branches, ...refs];
  if (head.branch === undefined && head.oid !== undefined) {
    const same = candidates.find(({ oid }) => oid === head.oid);
    if (same !== undefined) return same.name;
  }
  return usual[0]?.name;
}
