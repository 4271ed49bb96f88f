import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { createTemplate } from '../../cli/init.ts';
import { configSchema } from '../../platform/config/config-schema.ts';
import { parseConfig } from '../../platform/config/read-config.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { docbuildPath, runDocbuild } from '../helpers/run-docbuild.ts';
import { testIf } from '../helpers/test-if.ts';

/** Keys without a default, which `cfg` does not show. */
const WITHOUT_DEFAULT = ['builds.concurrency', 'metrics.port', 'probes.port'];

const TEMPLATE = createTemplate({ mayAskEngines: false });

/** Lists keys with their paths; a map that may hold any names, such as `code_hosts`, is one. */
function listKeys(value: object, prefix = ''): readonly string[] {
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === 'object' && item !== null && Object.keys(item).length > 0
      ? listKeys(item, `${prefix}${name}.`)
      : [`${prefix}${name}`],
  );
}

test.serial('init: the template has every key of the configuration', (t) => {
  const wanted = [...listKeys(configSchema.parse({})), ...WITHOUT_DEFAULT];
  t.deepEqual([...listKeys(parse(TEMPLATE) as object)].sort(), wanted.sort());
});

test.serial('init: the template says the defaults', (t) => {
  t.deepEqual(parseConfig(TEMPLATE, 'docbuild.yml'), configSchema.parse({}));
});

/** Returns the base URLs of the search engines in the configuration of a folder. */
function readEngines(folder: string): readonly string[] {
  const { alpha, beta } = parseConfig(readFileSync(join(folder, 'docbuild.yml'), 'utf8'), 'docbuild.yml').utility;
  return [alpha.base_url, beta.base_url];
}

const ENGINES = ['https://www.baidu.com', 'https://www.bing.com'];

test.serial('docbuild init sets search engines only where the operator says so', async (t) => {
  for (const [flags, expected] of [
    [[], ['', '']],
    [['--no-search-engines'], ['', '']],
    [['--search-engines'], ENGINES],
    [['--search-engines', '--json'], ENGINES],
  ] as const) {
    const folder = createFolder(t);
    t.is((await runDocbuild(['init', ...flags], { cwd: folder })).code, 0);
    t.deepEqual(readEngines(folder), expected, flags.join(' '));
  }
});

const SCRIPT = '/usr/bin/script';
const terminalTest = testIf(process.platform === 'linux' && existsSync(SCRIPT), `needs "${SCRIPT}"`);

terminalTest('docbuild init asks on a terminal, and takes Enter for no', async (t) => {
  for (const [typed, expected] of [
    ['y\r', ENGINES],
    ['\r', ['', '']],
    ['maybe\r', ['', '']],
    ['\u0003', undefined],
    ['\u0004', undefined],
  ] as const) {
    const folder = createFolder(t);
    const env = { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm' };
    const line = `${process.execPath} ${docbuildPath} init`;
    const child = spawn(SCRIPT, ['-qec', line, '/dev/null'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
    t.teardown(() => child.kill('SIGKILL'));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!/\[y\/N\]/.test(output) && /\[y\/N\]/.test(output + text)) child.stdin.write(typed);
      output += text;
    });
    const [code] = (await once(child, 'close')) as [number];
    t.regex(output, /send the URLs that callers ask for to https:\/\/www\.baidu\.com and https:\/\/www\.bing\.com/);
    if (expected) t.deepEqual(readEngines(folder), expected);
    else t.false(existsSync(join(folder, 'docbuild.yml')), output);
    t.is(code, expected ? 0 : 1, output);
  }
});
