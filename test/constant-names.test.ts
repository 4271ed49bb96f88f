import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';

const root = new URL('../../', import.meta.url);
const ROOMS = ['api', 'bench', 'builder', 'cli', 'client', 'data', 'lib', 'platform', 'service'];
/** The beginning of a plain value: a number, a text, a regular expression, a table of something. */
const PLAIN_VALUE = /^(?:[\d'"`]|\/(?![/*])|new (?:Set|Map)(?:<.*>)?\([^)])/;

/** Returns the constants of a file that hold plain values and are not written in capital letters. */
function listMisnamed(path: string): readonly string[] {
  const text = readFileSync(new URL(path, root), 'utf8');
  const constants = text.matchAll(/^(?:export )?const ([a-z]\w*)(?:: [^=\n]+)? =\s+(.*)$/gm);
  return Array.from(constants)
    .filter(([, , value]) => PLAIN_VALUE.test(value!))
    .map(([, name]) => `${path}: ${name}`);
}

test('constants of modules that hold plain values are in capital letters', (t) => {
  const files = ROOMS.flatMap((room) =>
    readdirSync(new URL(`${room}/`, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${room}/${name}`),
  );
  t.true(files.length > 400);
  t.deepEqual(files.flatMap(listMisnamed), []);
});
