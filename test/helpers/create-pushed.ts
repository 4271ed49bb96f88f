import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { createFolder, createRepository, type TestRepository } from './create-repository.ts';
import { gitEnvironment, runGit } from './run-git.ts';
import { type GitServer, serveGit } from './serve-git.ts';

/** An empty bare repository that is pushed to over HTTP. */
export interface HostedRepository {
  /** Where it is fetched from and pushed to. */
  readonly url: string;
  readonly server: GitServer;
  /** Has each push tell this address, as a code host does. */
  tell(address: string, service: 'github' | 'gitee', secret: string): void;
  /** Has pushes tell nobody. */
  silence(): void;
  /** Has HEAD lead to a branch. */
  setHead(branch: string): void;
  /** Where the calls are written down: `sent`, and `answers`. */
  readonly told: string;
}

/** Such a repository, and a clone of it. */
export interface PushedRepository extends HostedRepository {
  /** The clone that commits are made in. */
  readonly clone: TestRepository;
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

/** Creates the empty repository. */
export async function createHosted(t: ExecutionContext): Promise<HostedRepository> {
  const root = createFolder(t);
  const bare = join(root, 'guide.git');
  runGit(root, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  runGit(bare, 'config', 'http.receivepack', 'true');
  runGit(bare, 'config', 'receive.denyDeletes', 'false');
  const server = await serveGit(t, root);
  const told = join(root, 'told');
  mkdirSync(told);
  return {
    url: `${server.url}/guide.git`,
    server,
    told,
    tell(address, service, secret) {
      const hook = join(bare, 'hooks/post-receive');
      mkdirSync(join(bare, 'hooks'), { recursive: true });
      writeFileSync(hook, service === 'github' ? githubHook(address, secret, told) : giteeHook(address, secret, told));
      chmodSync(hook, 0o755);
    },
    silence: () => rmSync(join(bare, 'hooks/post-receive'), { force: true }),
    setHead: (branch) => runGit(bare, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`),
  };
}

/** Creates the repository with one commit on `main`, which is made of these files. */
export async function createPushed(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
): Promise<PushedRepository> {
  const hosted = await createHosted(t);
  const { url, told } = hosted;
  const clone = createRepository(t);
  for (const [path, content] of Object.entries(files)) clone.write(path, content);
  clone.commit('Files');
  clone.git('remote', 'add', 'origin', url);
  // The server is in this process: it could not answer while git is waited for.
  const push = async (...args: readonly string[]): Promise<void> => {
    await promisify(execFile)('git', ['push', '--quiet', ...args], { cwd: clone.folder, env: gitEnvironment });
  };
  await push('origin', 'main');
  const read = (name: string): readonly string[] =>
    existsSync(join(told, name)) ? readFileSync(join(told, name), 'utf8').split('\n').filter(Boolean) : [];
  return {
    ...hosted,
    clone,
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

/** Returns a hook that makes one call for each ref; `$after` is the tag object's id for an annotated tag. */
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
