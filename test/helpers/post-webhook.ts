// What a code host does after a push: `post-webhook github|gitee ADDRESS SECRET FILE EVENT` posts the body on its standard
// input and adds a line to the file: the status and the body of the answer.
import { createHmac, randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const [service, address, secret, file, event] = process.argv.slice(2) as [string, string, string, string, string];
const body = await text(process.stdin);
const own =
  service === 'github'
    ? {
        'User-Agent': 'GitHub-Hookshot/test',
        'X-GitHub-Event': event,
        'X-GitHub-Delivery': randomUUID(),
        'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      }
    : {
        'User-Agent': 'git-oschina-hook',
        'X-Gitee-Event': event,
        'X-Gitee-Token': secret,
        'X-Gitee-Timestamp': String(Date.now()),
      };
const headers = { 'Content-Type': 'application/json', ...own } as Record<string, string>;
const answer = await fetch(address, { method: 'POST', body, headers, signal: AbortSignal.timeout(30_000) });
appendFileSync(file, `${answer.status} ${(await answer.text()).trim()}\n`);
