import { readdirSync, readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { getCatalogue, LANGUAGES, type Language } from '../../../api/http/language.ts';
import { packageFile } from '../../../lib/package-file.ts';
import { listPlaces } from '../../../lib/phrase.ts';
import { collectApiPhrases, collectSourcePhrases, collectTemplatePhrases } from '../../helpers/collect-phrases.ts';
import { createServer } from '../../helpers/create-server.ts';

const templates = collectTemplatePhrases();
const own = new Map([...templates.keys, ...collectSourcePhrases()]);
const languages = Object.keys(LANGUAGES).filter((tag) => tag !== 'en') as readonly Language[];

/** Returns all texts, those of the API's page included. */
async function collectKeys(t: ExecutionContext): Promise<ReadonlyMap<string, string>> {
  const document = await (await (await createServer(t)).get('/openapi.json')).json();
  return new Map([...own, ...collectApiPhrases(document as Parameters<typeof collectApiPhrases>[0])]);
}

test('catalogue: texts are found at all', async (t) => {
  const keys = await collectKeys(t);
  t.true(keys.has('Log out'));
  t.true(keys.has('Describes a project'));
  t.true(keys.has('URL-safe base64 of an API key'));
  t.true(keys.has('Nothing found at "{0}"'));
});

test('catalogue: templates show no text that is not translated', (t) => {
  t.deepEqual(templates.untranslated, []);
});

for (const language of languages) {
  const catalogue = getCatalogue(language);

  test(`catalogue: ${language} has every text`, async (t) => {
    const keys = await collectKeys(t);
    const missing = [...keys].filter(([key]) => !catalogue.has(key)).map(([key, file]) => `${file}: ${key}`);
    t.deepEqual(missing, []);
  });

  test(`catalogue: a text of ${language} stands in one file`, (t) => {
    const folder = packageFile(`templates/console/${language}/`);
    const all = readdirSync(folder).flatMap((name) =>
      Object.keys(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as object),
    );
    t.deepEqual(
      all.filter((key, i) => all.indexOf(key) !== i),
      [],
    );
  });

  test(`catalogue: ${language} has no text that nothing shows`, async (t) => {
    const keys = await collectKeys(t);
    t.deepEqual(
      [...catalogue.keys()].filter((key) => !keys.has(key)),
      [],
    );
  });

  test(`catalogue: texts of ${language} have the values and the code of the English ones`, (t) => {
    const parts = (text: string) => [...new Set(listPlaces(text))].sort();
    const ticks = (text: string) => text.split('`').length;
    for (const [key, text] of catalogue) {
      t.true(text.trim().length > 0, key);
      t.deepEqual(parts(text), parts(key), key);
      t.is(ticks(text) % 2, 1, key);
    }
  });
}
