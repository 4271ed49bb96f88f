import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { createHostUrls } from '../../../builder/plan/links/host-urls.ts';
import { CODE_HOST_IDS, CODE_HOSTS, createCodeHosts } from '../../../platform/code-hosts/code-hosts.ts';

for (const [home, id, gsp, file, folder, edit] of [
  ['https://github.com/o/r', 'github', 'GitHub', '/blob/main/d/a.md', '/tree/main/d', '/edit/main/d/a.md'],
  ['https://gitee.com/o/r', 'gitee', 'Gitee', '/blob/main/d/a.md', '/tree/main/d', '/edit/main/d/a.md'],
  ['https://gitlab.com/g/s/r', 'gitlab', 'GitLab', '/-/blob/main/d/a.md', '/-/tree/main/d', '/-/edit/main/d/a.md'],
  ['https://gitlab.example.test/r', 'gitlab', 'GitLab', '/-/blob/main/d/a.md', '/-/tree/main/d', '/-/edit/main/d/a.md'],
  ['https://codeberg.org/o/r', 'gitea', 'Git', '/src/branch/main/d/a.md', '/src/branch/main/d', '/_edit/main/d/a.md'],
  [
    'https://forgejo.example.test/o/r',
    'gitea',
    'Git',
    '/src/branch/main/d/a.md',
    '/src/branch/main/d',
    '/_edit/main/d/a.md',
  ],
  ['https://gogs.example.test/o/r', 'gogs', 'Git', '/src/main/d/a.md', '/src/main/d', '/_edit/main/d/a.md'],
  ['https://bitbucket.org/o/r', 'bitbucket', 'Git', '/src/main/d/a.md', '/src/main/d', '/src/main/d/a.md?mode=edit'],
] as const) {
  test(`code-hosts: ${home} is recognised, with its URLs`, (t) => {
    const hosts = createCodeHosts();
    t.like(hosts.find(new URL(home).hostname), { id, gsp });
    const urls = createHostUrls(hosts.patterns, home, 'main')!;
    t.is(urls.view('d/a.md', false), home + file);
    t.is(urls.view('d', true), home + folder);
    t.is(urls.edit('d/a.md'), home + edit);
  });
}

test('code-hosts: where a name does not tell, nobody guesses', (t) => {
  const hosts = createCodeHosts();
  t.is(hosts.find('git.example.org'), undefined);
  t.is(createHostUrls(hosts.patterns, 'https://git.example.org/o/r', 'main'), undefined);
});

test('code-hosts: the operator says what runs at a host, also against its name, and at no other', (t) => {
  const hosts = createCodeHosts({ own: { 'git.example.org': 'gitlab', 'github.example.org': 'gitea' } });
  t.is(hosts.find('git.example.org')?.id, 'gitlab');
  t.is(hosts.find('GIT.Example.org')?.id, 'gitlab');
  t.is(hosts.find('github.example.org')?.id, 'gitea');
  t.is(hosts.find('github.com')?.id, 'github');
  for (const other of ['gitxexample.org', 'my.git.example.org', 'git.example.org.evil.test']) {
    t.is(hosts.find(other), undefined, other);
  }
  const home = 'https://git.example.org/o/r';
  t.is(createHostUrls(hosts.patterns, home, 'main')?.edit('a.md'), `${home}/-/edit/main/a.md`);
});

test('code-hosts: "other" holds for all hosts whose names do not tell', (t) => {
  const hosts = createCodeHosts({ other: 'gitea' });
  t.is(hosts.find('git.example.org')?.id, 'gitea');
  t.is(hosts.find('gitlab.com')?.id, 'gitlab');
});

test('code-hosts: an unknown kind is refused by name', (t) => {
  t.throws(() => createCodeHosts({ other: 'sourcehut' }), {
    message: /"sourcehut" is not known; write one of bitbucket/,
  });
});

test('code-hosts: ids are words that records and the configuration may hold', (t) => {
  t.is(new Set(CODE_HOST_IDS).size, CODE_HOSTS.length);
  for (const id of CODE_HOST_IDS) t.regex(id, /^[a-z]+$/);
});

test('code-hosts: patterns are plain data: build processes receive them as JSON', (t) => {
  const { patterns } = createCodeHosts({ own: { 'git.example.org': 'gitlab' } });
  t.deepEqual(JSON.parse(JSON.stringify(patterns)), patterns);
});

test('code-hosts: no other code of the product names one of them', (t) => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  const named = ['api', 'builder', 'cli', 'client', 'data', 'lib', 'platform', 'templates'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .map((file) => `${room}/${file}`)
      .filter((file) => /\.(?:ts|njk)$/.test(file) && !file.startsWith('platform/code-hosts/'))
      .filter((file) => {
        const text = readFileSync(join(root, file), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
        return /gitee|gitlab|gitea|forgejo|gogs|codeberg|bitbucket|isGithub/i.test(text);
      }),
  );
  t.deepEqual(named, [
    // Icons and links in the settings of other generators.
    'builder/generators/shared/foreign-settings.ts',
    // Icons of links.
    'builder/plan/theme/social.ts',
    // Examples of configuration, and workflows.
    'cli/init.ts',
    'cli/new.ts',
  ]);
});
