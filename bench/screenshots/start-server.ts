import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** A server with the project `weaver`, for pictures of its pages. */
export interface ScreenshotServer {
  /** Its address, with a final `/`. */
  readonly url: string;
  /** Logs an operator in. */
  logIn(page: Page): Promise<void>;
  close(): Promise<void>;
}

const COMMAND = fileURLToPath(new URL('../../docbuild.js', import.meta.url));
const ACCOUNT = 'operator';
const PASSWORD = 'a loom, a shuttle and a cat';

/** Starts `docbuild api` in a new folder, with a repository as its project, built. */
export async function startServer(folder: string, repository: string): Promise<ScreenshotServer> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./data\n');
  const run = (args: readonly string[], input = ''): string =>
    execFileSync(process.execPath, [COMMAND, ...args], { cwd: folder, input, encoding: 'utf8', stdio: 'pipe' });
  run(['user', 'create', ACCOUNT, '--operator', '--password-stdin'], `${PASSWORD}\n`);
  run(['project', 'create', '-u', repository, 'weaver']);
  const child = spawn(process.execPath, [COMMAND, 'api', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const url = await readAddress(child.stdout);
  run(['build', 'weaver', '--all']);
  for (const ref of ['v1.1', 'v2.0', 'main']) run(['build', 'weaver', '-b', ref]);
  return {
    url: `${url}/`,
    async logIn(page) {
      await page.goto(`${url}/control/login`);
      await page.locator('[name=account]').fill(ACCOUNT);
      await page.locator('[name=password]').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForURL(({ pathname }) => !pathname.endsWith('/login'));
    },
    async close() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function readAddress(output: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const piece of output.setEncoding('utf8')) {
    text += piece;
    const [, url] = /docbuild serves (http:\S+)/.exec(text) ?? [];
    if (url === undefined) continue;
    // The rest is of no interest, but must be read.
    output.resume();
    return url;
  }
  throw new Error(`The server ended: ${text}`);
}
