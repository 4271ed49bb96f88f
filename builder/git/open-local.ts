import { parseRepositoryAddress } from '../../lib/repository-address.ts';
import { BuildError } from '../build-error.ts';
import type { Ref, Repository } from '../model.ts';
import { chooseHead } from './choose-head.ts';
import { collectLocalRefs, refPrefixes } from './collect-local-refs.ts';
import { createObjectReader } from './create-object-reader.ts';
import type { GitFolders } from './find-git-folder.ts';
import { readRefFiles } from './read-ref-files.ts';
import { readRepositorySettings } from './read-repository-settings.ts';

/** Opens a repository of this machine for reading; nothing is ever written to it. */
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
    refPrefixes.map((prefix) => prefix.slice(0, -1)),
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
    async fetch(wanted, listener) {
      for (const ref of wanted) listener?.onFetched?.(ref);
    },
    async close() {
      reader.forget();
    },
  };
}
