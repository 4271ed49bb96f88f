import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestRepository } from './create-repository.ts';
import { execGit } from './run-git.ts';

/** An entry of a tree as git stores it. */
export interface RawEntry {
  readonly mode: string;
  readonly name: string | Buffer;
  readonly oid: string;
}

/** Writes a tree object with any names, also those git refuses to write; returns its id. */
export function writeTree(repository: TestRepository, entries: readonly RawEntry[]): string {
  const rows = entries.map(({ mode, name, oid }) =>
    Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(oid, 'hex')]),
  );
  const args = ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'];
  return execGit(args, { cwd: repository.folder, input: Buffer.concat(rows) })
    .toString()
    .trim();
}

/** Writes a blob; returns its id. */
export function writeBlob(repository: TestRepository, text: string): string {
  return execGit(['hash-object', '-w', '--stdin'], { cwd: repository.folder, input: text }).toString().trim();
}

/** Takes an object that is not packed away, or puts `bytes` in its place. Returns what puts it back. */
export function damageObject(repository: TestRepository, spec: string, bytes?: string): () => void {
  const oid = repository.git('rev-parse', spec);
  const type = repository.git('cat-file', '-t', oid);
  const content = execGit(['cat-file', type, oid], { cwd: repository.folder });
  const path = join(repository.folder, '.git/objects', oid.slice(0, 2), oid.slice(2));
  rmSync(path, { force: true });
  if (bytes !== undefined) writeFileSync(path, bytes);
  return () => {
    rmSync(path, { force: true });
    const args = ['hash-object', '-t', type, '-w', '--stdin', '--literally'];
    execGit(args, { cwd: repository.folder, input: content });
  };
}
