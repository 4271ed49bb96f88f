import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { parseConfig } from '../../../platform/config/read-config.ts';
import {
  findDomainSharedAt,
  findOwnSharedDomain,
  listDomainWarnings,
} from '../../../platform/projects/shared-domains.ts';

const warn = (yaml: string): readonly string[] => listDomainWarnings(parseConfig(yaml, 'test.yml'));

test('listDomainWarnings() names the domain that the console shares with the sites of projects', (t) => {
  for (const yaml of [
    'api: {docs_api_url: "https://docs.example.org"}\ndocs: {domain: docs.example.org}\n',
    'api: {docs_api_url: "https://api.example.org"}\ndocs: {domain: example.org}\n',
    'api: {auth_url: "https://login.example.org:8443", docs_api_url: "https://x.example.net"}\ndocs: {domain: sites.example.org}\n',
  ]) {
    const [warning, second] = warn(yaml);
    t.regex(warning!, /share the domain example\.org: .*"api\.auth_url"/, yaml);
    t.is(second, undefined);
  }
});

test('listDomainWarnings() says nothing where another domain, none, or one in which each site is by itself is used', (t) => {
  for (const yaml of [
    '{}',
    'api: {docs_api_url: "https://docs.example.org"}\n',
    'api: {docs_api_url: "https://docs.example.org"}\ndocs: {domain: docs.example.net}\n',
    'api: {auth_url: "https://login.example.net", docs_api_url: "https://docs.example.org"}\ndocs: {domain: docs.example.org}\n',
    'api: {docs_api_url: "https://you.github.io"}\ndocs: {domain: github.io}\n',
    'api: {docs_api_url: "http://127.0.0.1:5000"}\ndocs: {domain: docs.localhost}\n',
  ]) {
    t.deepEqual(warn(yaml), [], yaml);
  }
});

test('each configuration that the documentation or a deployment shows keeps the console and the sites apart', (t) => {
  const root = new URL('../../../../', import.meta.url);
  const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
  const pages = ['docs/en', 'docs/zh_CN'].flatMap((folder) =>
    readdirSync(new URL(folder, root))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  const blocks = ['README.md', ...pages].flatMap((page) =>
    [...read(page).matchAll(/^```ya?ml[^\n]*\n([\s\S]*?)^```/gm)].map(([, yaml]) => [page, yaml!] as const),
  );
  const shown = [...blocks, ['deploy/kubernetes/docbuild.yml', read('deploy/kubernetes/docbuild.yml')] as const].filter(
    ([, yaml]) => /^docs:\n(?:[ ].*\n)*? +domain: ./m.test(yaml),
  );
  t.true(shown.length >= 5);
  for (const [file, yaml] of shown) t.deepEqual(warn(yaml), [], file);
});

test('listDomainWarnings() asks for the place of the console where none is configured', (t) => {
  t.regex(warn('docs: {domain: docs.example.org}\n')[0]!, /"api\.auth_url"/);
});

test('findDomainSharedAt() looks at the host that is asked for', (t) => {
  const config = parseConfig('docs: {domain: docs.example.org}\n', 'test.yml');
  t.is(findDomainSharedAt('console.example.org:8443', config), 'example.org');
  for (const host of ['127.0.0.1:5000', 'localhost', '[::1]:80', 'example.net', ''])
    t.is(findDomainSharedAt(host, config), undefined, host);
});

test('findOwnSharedDomain() looks at a project’s own domain, above and beside the console', (t) => {
  const config = parseConfig('api: {docs_api_url: "https://docs.example.org"}\n', 'test.yml');
  const find = (domain: string) => findOwnSharedDomain({ name: 'guide', domain }, config);
  for (const domain of ['guide.example.org', 'example.org', 'a.docs.example.org']) {
    t.is(find(domain)?.domain, 'example.org', domain);
  }
  t.regex(
    find('guide.example.org')!.message,
    /docs\.example\.org and project "guide" at guide\.example\.org share the domain example\.org/,
  );
  t.is(find('guide.example.net'), undefined);
  t.is(find(''), undefined);
});
