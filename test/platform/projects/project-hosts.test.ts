import test from 'ava';
import { DataError } from '../../../data/data-error.ts';
import { parseConfig } from '../../../platform/config/read-config.ts';
import { checkHosts } from '../../../platform/projects/project-hosts.ts';

const config = parseConfig(
  `docs: {domain: docs.test}
api: {base_url: 'https://short.test', docs_api_url: 'https://api.docs.test:8443', server_static_url: 'https://cdn.test'}`,
  'docbuild.yml',
);

test('checkHosts() leaves other hosts, and the one below docs.domain that is the own anyway', (t) => {
  for (const domain of ['', 'guide.test', 'docs.guide.test', 'guide.docs.test', 'mydocs.test']) {
    t.notThrows(() => checkHosts({ name: 'guide', domain }, config), domain);
  }
  t.notThrows(() => checkHosts({ name: 'guide', domain: 'other.docs.test' }, parseConfig('', 'docbuild.yml')));
});

for (const [name, domain, owner] of [
  ['guide', 'other.docs.test', /"other\.docs\.test": it belongs to the project "other"/],
  ['guide', 'docs.test', /"docs\.test": it belongs to all projects/],
  ['guide', 'short.test', /"short\.test": it belongs to the service itself/],
  ['guide', 'cdn.test', /the service itself/],
  ['guide', 'api.docs.test', /"api\.docs\.test": it belongs to the service itself/],
  ['api', '', /"api\.docs\.test": it belongs to the service itself; choose another name/],
] as const) {
  test(`checkHosts() refuses the host of somebody else: ${name} ${domain}`, (t) => {
    const error = t.throws(() => checkHosts({ name, domain }, config), { instanceOf: DataError, message: owner });
    t.is(error?.code, 'taken');
  });
}
