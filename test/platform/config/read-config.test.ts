import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parseConfig, readConfig } from '../../../platform/config/read-config.ts';
import { createFolder } from '../../helpers/create-repository.ts';

test('parseConfig() fills in every default', (t) => {
  const config = parseConfig('', 'docbuild.yml');
  t.is(config.base_dir, './.docbuild');
  t.deepEqual([config.api.host, config.api.port, config.api.trusted_proxies], ['127.0.0.1', 5000, 0]);
  t.is(config.builds.timeout_s, 600);
  t.is(config.builds.concurrency, undefined);
  t.false(config.auth.registration);
  for (const engine of [config.utility.alpha, config.utility.beta]) t.is(engine.base_url, '', 'nobody is asked');
  t.regex(config.utility.alpha.json_query, /^\{base\}\/s\?wd=\{query\}.*tn=json$/);
  t.regex(config.utility.beta.rss_query, /^\{base\}\/search\?q=\{query\}&format=rss$/);
});

test('parseConfig() takes what is set and counts keys without a value as not set', (t) => {
  const config = parseConfig(
    'timezone: Asia/Shanghai\napi:\n  port: 8080\n  docs_api_url: https://docs.example.org/\n  base_url:\ndocs: {domain: Docs.Example.ORG}\n',
    'x.yml',
  );
  t.is(config.timezone, 'Asia/Shanghai');
  t.is(config.api.port, 8080);
  t.is(config.api.docs_api_url, 'https://docs.example.org');
  t.is(config.api.base_url, '');
  t.is(config.docs.domain, 'docs.example.org');
});

test('readConfig() refuses a file without any key where it may not be empty, unless that is written', (t) => {
  const folder = createFolder(t);
  const read = (text: string, options?: { readonly mayBeEmpty: boolean }) => {
    writeFileSync(join(folder, 'docbuild.yml'), text);
    return readConfig('docbuild.yml', folder, options).config;
  };
  const defaults = parseConfig('', 'docbuild.yml');
  for (const text of ['', ' \n', '\uFEFF', '# just a comment', '---\n# a comment\n', '~\n']) {
    t.throws(
      () => read(text, { mayBeEmpty: false }),
      { message: /line 1: it has no key; "\{\}" means all defaults$/ },
      text,
    );
    t.deepEqual(read(text), defaults);
  }
  t.deepEqual(read('{}', { mayBeEmpty: false }), defaults);
  t.deepEqual(read('timezone:\n', { mayBeEmpty: false }), defaults);
});

const mistakes: readonly (readonly [yaml: string, message: RegExp])[] = [
  ['api:\n  prot: 1\n', /"x\.yml", line 2: unknown key "api\.prot"/],
  ['color: red\n', /line 1: unknown key "color"/],
  ['api:\n  host: a\n  port: many\n', /line 3: key "api\.port": must be a whole number from 0 to 65535/],
  ['api: {port: 70000}\n', /line 1: key "api\.port": must be a whole number/],
  ['a: 1\n\n\ntimezone: Mars/Base\n', /unknown key "a"/],
  ['\ntimezone: Mars/Base\n', /line 2: key "timezone": must be a time zone such as/],
  ['api:\n  base_url: example.org\n', /line 2: key "api\.base_url": must be an http or https URL/],
  ['api:\n  base_url: https://u:p@example.org\n', /key "api\.base_url"/],
  ['api:\n  hub_url: https://example.org/hub\n', /line 2: key "api\.hub_url": must be a URL without a path/],
  ['api: {server_static_url: "https://cdn.test/assets/"}', /"api\.server_static_url": must be the URL of docbuild\.js/],
  ['api: {server_static_url: cdn.test}', /"api\.server_static_url": must be an http or https URL/],
  ['docs: {domain: "a b"}', /key "docs\.domain": must be a host name/],
  ['auth: {registration: perhaps}', /key "auth\.registration": must be true or false/],
  [
    'utility: {alpha: {json_query: "/s?wd={query}"}}',
    /key "utility\.alpha\.json_query": must begin with \{base\} or http/,
  ],
  ['utility: {beta: {html_query: "{base}/search"}}', /key "utility\.beta\.html_query": must .* contain \{query\}/],
  ['utility: {beta: {rss_query: "http://{query}:x"}}', /key "utility\.beta\.rss_query"/],
  ['utility: {user_agent: "a\\nb"}', /key "utility\.user_agent"/],
  [
    'code_hosts:\n  git.example.org: sourcehut\n',
    /line 2: key "code_hosts\.git\.example\.org": must be one of bitbucket, gitea/,
  ],
  ['code_hosts: {"https://git.example.org": gitlab}', /key "code_hosts": must name hosts such as git\.example\.org/],
  ['code_hosts: {"git.example.org:8443": gitlab}', /key "code_hosts": must name hosts/],
  [
    'events: {url: "https://hooks.example"}',
    /key "events\.secret": is needed with "events\.url": whsec_ and what "openssl rand -base64 32" makes/,
  ],
  ['events: {url: "ftp://hooks.example"}', /key "events\.url": must begin with http/],
  ['events: {url: "https://ada:hush@hooks.example"}', /key "events\.url": must not have a name or a password/],
  ['events: {secret: hush}', /key "events\.secret": must be whsec_/],
  ['- a\n', /must be a map of keys to values/],
  ['a: [1\n', /line 1: /],
  ['builds:\n  - 1\n', /key "builds"/],
];
for (const [yaml, message] of mistakes) {
  test(`parseConfig() says what is wrong with ${JSON.stringify(yaml)}`, (t) => {
    const error = t.throws(() => parseConfig(yaml, 'x.yml'), { name: 'DataError', message });
    t.regex(error.message, /^Cannot use configuration "x\.yml", line \d+: /);
  });
}

for (const [given, script] of [
  ['', ''],
  ['https://cdn.test', 'https://cdn.test/docbuild/assets/docbuild.js'],
  ['https://cdn.test:8443/', 'https://cdn.test:8443/docbuild/assets/docbuild.js'],
  ['https://cdn.test/npm/docbuild@1/docbuild.js', 'https://cdn.test/npm/docbuild@1/docbuild.js'],
]) {
  test(`parseConfig() takes api.server_static_url "${given}" as a script's URL or an origin`, (t) => {
    t.is(parseConfig(`api: {server_static_url: "${given}"}`, 'docbuild.yml').api.server_static_url, script!);
  });
}
