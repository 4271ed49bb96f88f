import { parse } from 'yaml';
import { TEMPLATE } from '../../cli/init.ts';
import { configSchema } from '../../platform/config/config-schema.ts';
import { parseConfig } from '../../platform/config/read-config.ts';
import test from '../helpers/serial-test.ts';

/** Keys without a default, which `cfg` does not show. */
const WITHOUT_DEFAULT = ['builds.concurrency', 'metrics.port'];

/** Lists keys with their paths; a map that may hold any names, such as `code_hosts`, is one. */
function listKeys(value: object, prefix = ''): readonly string[] {
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === 'object' && item !== null && Object.keys(item).length > 0
      ? listKeys(item, `${prefix}${name}.`)
      : [`${prefix}${name}`],
  );
}

test('init: the template has every key of the configuration', (t) => {
  const wanted = [...listKeys(configSchema.parse({})), ...WITHOUT_DEFAULT];
  t.deepEqual([...listKeys(parse(TEMPLATE) as object)].sort(), wanted.sort());
});

test('init: the template says the defaults', (t) => {
  t.deepEqual(parseConfig(TEMPLATE, 'docbuild.yml'), configSchema.parse({}));
});
