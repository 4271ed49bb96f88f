import test from 'ava';
import { createAppSetup } from '../../helpers/create-app-setup.ts';
import { createHookProject } from '../../helpers/create-records.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { setTrap, type Trap } from '../../helpers/set-trap.ts';
import { signGitee, signGithub } from '../../helpers/sign-webhook.ts';
import { webhookExamples } from '../../helpers/webhook-examples.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** Returns a payload in which every address leads into the trap, those in texts and templates, too. */
function redirectAll<T>(payload: T, { url }: Trap): T {
  const text = JSON.stringify(payload)
    .replace(/\b(?:https?|git|ssh):\/\/[^/"\\ ]+/g, url)
    .replace(/git@[^:"]+:/g, `${url}/`);
  return JSON.parse(text) as T;
}

// octokit shares sign-ins under way between all Apps of a process that have installations of the same id.
test.serial('webhooks: no address of a payload is ever called', async (t) => {
  const trap = await setTrap(t);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const server = await createServer(t);
  await server.operations.createProject({
    name: 'guide',
    settings: { url: repository.folder, secret: 'hush and not a word' },
  });
  const examples = webhookExamples('push', 'release', 'ping', 'create', 'repository').slice(0, 40);
  t.true(examples.length > 20);
  for (const { event, payload, title } of examples) {
    const hostile = redirectAll(payload, trap);
    t.regex(JSON.stringify(hostile), new RegExp(trap.url), title);
    const calls = [signGithub(event, hostile, { secret: 'hush and not a word' })];
    if (event === 'push') calls.push(signGitee('Push Hook', hostile, 'hush and not a word'));
    for (const { headers, rawBody } of calls) {
      const answer = await server.post(
        '/docbuild/webhook/guide',
        rawBody.toString(),
        headers as Record<string, string>,
      );
      t.true([200, 201].includes(answer.status), title);
    }
  }
  const project = (await (await server.get('/docbuild/projects/guide')).text()).matchAll(
    /\/docbuild\/builds\/([0-9a-z]{20})"/g,
  );
  for (const [, id] of project) await server.operations.waitForBuild({ id: id! });
  t.deepEqual(trap.caught, []);
});

test.serial('the GitHub App: no address of a payload is ever called, and no answer leads elsewhere', async (t) => {
  const trap = await setTrap(t);
  const { github, send, store } = await createAppSetup(t, []);
  for (const { event, payload, title } of webhookExamples('installation', 'installation_repositories').slice(0, 12)) {
    const names: { full_name: string }[] = [...(payload.repositories ?? []), ...(payload.repositories_added ?? [])];
    for (const { full_name } of names) {
      github.addRepository(full_name, payload.installation.id);
      await store.projects
        .add(
          createHookProject({
            name: full_name.toLowerCase().replace(/\W/g, '-'),
            url: `https://github.com/${full_name}`,
          }),
        )
        .catch(() => {});
    }
    github.addRepository('another/one', payload.installation.id);
    const answer = await send(event, redirectAll(payload, trap));
    t.is(answer.status, 200, `${title}: ${JSON.stringify(answer.body)}`);
  }
  t.true(github.calls.length > 0);
  t.deepEqual(trap.caught, []);
});

test.serial('the GitHub App: redirects are followed to the same origin only', async (t) => {
  const trap = await setTrap(t);
  const { github, send, problems } = await createAppSetup(t);
  const repositories = [{ full_name: 'Codertocat/Hello-World' }];
  const payload = {
    action: 'created',
    installation: { id: 957387, permissions: { repository_hooks: 'write' } },
    repositories,
  };
  github.troubles.push({
    match: /\/hooks/,
    times: 99,
    status: 307,
    headers: { location: `${trap.url}/hooks` },
  } as never);
  const refused = await send('installation', payload);
  t.deepEqual(trap.caught, []);
  t.regex(JSON.stringify([refused, problems]), /redirects to \\"127/);
  for (const one of github.troubles) one.times = 0;
  const before = github.calls.length;
  github.troubles.push({
    match: /^GET .*\/hooks(?!.*moved)/,
    times: 1,
    status: 307,
    headers: { location: `${github.url}/repos/Codertocat/Hello-World/hooks?moved=1` },
  } as never);
  const answer = await send('installation', payload);
  t.regex(JSON.stringify(answer), /"result":"created"/);
  t.true(github.calls.slice(before).some((call) => call.includes('moved=1')));
});
