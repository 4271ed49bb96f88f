import { getCatalogue, LANGUAGES, type Language } from '../../../api/http/language.ts';
import { listPlaces } from '../../../lib/phrase.ts';
import { collectSourcePhrases, collectTemplatePhrases } from '../../helpers/collect-phrases.ts';
import test from '../../helpers/serial-test.ts';

const templates = collectTemplatePhrases();
const keys = new Map([...templates.keys, ...collectSourcePhrases()]);
const languages = Object.keys(LANGUAGES).filter((tag) => tag !== 'en') as readonly Language[];

test('catalogue: texts are found at all', (t) => {
  t.true(keys.has('Log out'));
  t.true(keys.has('Nothing found at "{0}"'));
});

test('catalogue: templates show no text that is not translated', (t) => {
  t.deepEqual(templates.untranslated, []);
});

for (const language of languages) {
  const catalogue = getCatalogue(language);

  test(`catalogue: ${language} has every text`, (t) => {
    const missing = [...keys].filter(([key]) => !catalogue.has(key)).map(([key, file]) => `${file}: ${key}`);
    t.deepEqual(missing, []);
  });

  test(`catalogue: ${language} has no text that nothing shows`, (t) => {
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
