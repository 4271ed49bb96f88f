import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { createFolder, createRepository, gitEnvironment, runGit, type TestRepository } from './create-repository.ts';
import { type GitServer, serveGit } from './serve-git.ts';

/** A bare repository that is pushed to over HTTP, and a clone of it. */
export interface PushedRepository {
  /** Where it is fetched from and pushed to. */
  readonly url: string;
  /** The clone that commits are made in. */
  readonly clone: TestRepository;
  readonly server: GitServer;
  /** Has each push tell this address, as a code host does. */
  tell(address: string, service: 'github' | 'gitee', secret: string): void;
  /** Pushes, and returns what the address answered, one answer for each ref: status and body. */
  push(...args: string[]): Promise<readonly { readonly status: number; readonly body: PushAnswer }[]>;
  /** Returns the bodies of all calls so far. */
  sent(): readonly string[];
}

interface PushAnswer {
  readonly success: boolean;
  readonly message: string;
  readonly branch?: string;
  readonly build?: { readonly id: string; readonly status: string };
}

/** Creates the repository with one commit on `main`, which is made of these files. */
export async function createPushed(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
): Promise<PushedRepository> {
  const root = createFolder(t);
  const bare = join(root, 'guide.git');
  runGit(root, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  for (const key of ['http.receivepack', 'receive.denyDeletes=false'])
    runGit(bare, 'config', ...(key.includes('=') ? key.split('=') : [key, 'true']));
  const server = await serveGit(t, root);
  const url = `${server.url}/guide.git`;
  const clone = createRepository(t);
  for (const [path, content] of Object.entries(files)) clone.write(path, content);
  clone.commit('Files');
  clone.git('remote', 'add', 'origin', url);
  // The server is in this process: it could not answer while git is waited for.
  const push = async (...args: readonly string[]): Promise<void> => {
    await promisify(execFile)('git', ['push', '--quiet', ...args], { cwd: clone.folder, env: gitEnvironment });
  };
  await push('origin', 'main');
  const told = join(root, 'told');
  mkdirSync(told);
  const read = (name: string): readonly string[] =>
    existsSync(join(told, name)) ? readFileSync(join(told, name), 'utf8').split('\n').filter(Boolean) : [];
  return {
    ...{ url, clone, server },
    tell(address, service, secret) {
      const hook = join(bare, 'hooks/post-receive');
      mkdirSync(join(bare, 'hooks'), { recursive: true });
      writeFileSync(hook, service === 'github' ? githubHook(address, secret, told) : giteeHook(address, secret, told));
      chmodSync(hook, 0o755);
    },
    async push(...args) {
      rmSync(join(told, 'answers'), { force: true });
      // The hook is part of the push: git waits for it.
      await push(...args);
      return read('answers').map((line) => ({ status: Number(line.slice(0, 3)), body: JSON.parse(line.slice(4)) }));
    },
    sent: () => read('sent'),
  };
}

const ZEROS = '0'.repeat(40);

/** What both have in common: one call for each ref; `$after` is the tag object's id for an annotated tag. */
function hook(told: string, send: string): string {
  return `#!/bin/sh
set -e
zeros=${ZEROS}
while read -r before after ref; do
  created=false; deleted=false; forced=false; head=null
  [ "$before" = $zeros ] && created=true
  if [ "$after" = $zeros ]; then deleted=true
  else head="{\\"id\\":\\"$(git rev-parse "$after^{commit}")\\"}"; fi
  if [ $created = false ] && [ $deleted = false ]; then
    git merge-base --is-ancestor "$before" "$after" || forced=true
  fi
  body="{\\"ref\\":\\"$ref\\",\\"before\\":\\"$before\\",\\"after\\":\\"$after\\",\\"created\\":$created,\\"deleted\\":$deleted,\\"forced\\":$forced,\\"head_commit\\":$head,\\"repository\\":{\\"name\\":\\"guide\\"},\\"commits\\":[]}"
  printf '%s\\n' "$body" >>'${told}/sent'
${send}
done
`;
}

const POST = fileURLToPath(new URL('post-webhook.js', import.meta.url));

function githubHook(address: string, secret: string, told: string): string {
  return hook(told, post(`github '${address}' '${secret}' '${told}/answers' push`));
}

function giteeHook(address: string, secret: string, told: string): string {
  return hook(
    told,
    `  case "$ref" in refs/tags/*) event='Tag Push Hook' ;; *) event='Push Hook' ;; esac
${post(`gitee '${address}' '${secret}' '${told}/answers' "$event"`)}`,
  );
}

function post(options: string): string {
  return `  printf %s "$body" | '${process.execPath}' '${POST}' ${options}`;
}
