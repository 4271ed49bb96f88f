import test from 'ava';
import { EXAMPLE } from '../../api/http/route.ts';
import { findDifferences } from '../helpers/find-answer-problems.ts';
import { type CurlExample, readCurlExamples } from '../helpers/read-curl-examples.ts';
import { sendToHost } from '../helpers/send-to-host.ts';
import { type ExampleServer, serveExamples } from '../helpers/serve-examples.ts';

/** Fields that cannot be the same each time. */
const VARIES = ['data.uid', 'token', 'build.id', 'build.status'];
const CONFIGURATION = `api:
  port: 0
  base_url: https://s.example.org
  hub_url: https://hub.example.org
  auth_url: https://auth.example.org
  docs_api_url: https://docs.example.org
auth: {registration: true}
`;

async function findProblems(server: ExampleServer, { url, answer, form, ...call }: CurlExample) {
  const path = url.pathname + url.search;
  const { status, text } = await sendToHost(server.origin, { ...call, host: url.host, path, ...(form && { form }) });
  const { success, code } = (answer ?? {}) as { success?: boolean; code?: number };
  const isGood = success !== false && (code ?? 0) === 0;
  if (status < 400 !== isGood) return [`status ${status}: ${text.slice(0, 500)}`];
  if (answer === undefined) return [];
  return findDifferences(JSON.parse(text.replaceAll(server.imageUrl, 'https://images.example')), answer, VARIES);
}

for (const language of ['en', 'zh_CN']) {
  test(`documentation in ${language}: what it shows of curl is answered as it shows`, async (t) => {
    const examples = readCurlExamples(language, { TOKEN: EXAMPLE.token, SECRET: EXAMPLE.secret });
    const server = await serveExamples(t, CONFIGURATION);
    const found: string[] = [];
    for (const example of examples) {
      const problems = await findProblems(server, example);
      found.push(...problems.map((problem) => `${example.title}: ${problem}`));
    }
    t.deepEqual(found, []);
    t.true(examples.length >= 12, `${examples.length} calls`);
  });
}
