import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { changePage } from '../corpus/change-page.ts';
import { git } from '../corpus/git.ts';

/** Time from a webhook to the changed page, and of the build in it. */
export interface PushTime {
  readonly ms: number;
  readonly fetchMs: number;
  readonly buildMs: number;
}

/**
 * Pushes a change of a page to the branch `main` of a project's repository, posts the webhook, and asks for the page until it
 * has changed. `path` is the page in the repository, `url` the one in the site, `readAt` where it is read if it is another node.
 */
export async function pushPage(
  origin: string,
  repository: string,
  {
    project,
    path,
    url,
    readAt = origin,
  }: { readonly project: string; readonly path: string; readonly url: string; readonly readAt?: string },
): Promise<PushTime> {
  const mark = `Paragraph ${randomUUID()}.`;
  changePage(repository, { branch: 'main', path, text: `\n${mark}\n` });
  const after = git(repository, ['rev-parse', 'main']).trim();
  const start = performance.now();
  const answer = await fetch(`${origin}/docbuild/webhook/${project}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': randomUUID() },
    body: JSON.stringify({ ref: 'refs/heads/main', after, deleted: false }),
  });
  const { build } = (await answer.json()) as { build: { id: string } };
  const page = `${readAt}/docs/${project}/${url}`;
  while (!(await (await fetch(page)).text()).includes(mark)) {
    if (performance.now() - start > 60_000) throw new Error('The pushed page was not live after a minute');
    await sleep(2);
  }
  const ms = performance.now() - start;
  // The page is live before the build's record says so.
  const result = await waitForResult(`${origin}/docbuild/builds/${build.id}`);
  return { ms, fetchMs: result.fetchMs, buildMs: result.ms };
}

async function waitForResult(url: string): Promise<{ readonly ms: number; readonly fetchMs: number }> {
  for (;;) {
    const answer = await fetch(url, { headers: { Accept: 'application/json' } });
    const { data } = (await answer.json()) as { data: { status: string; result?: { ms: number; fetchMs: number } } };
    if (data.result) return data.result;
    if (data.status !== 'queued' && data.status !== 'running') throw new Error(`The build is ${data.status}`);
    await sleep(5);
  }
}
