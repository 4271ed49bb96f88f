import test from 'ava';
import { converter, modeOklch, modeRgb, useMode, wcagContrast } from 'culori/fn';
import { readTokenStyles } from '../../../../builder/compose/theme-files.ts';
import { isColour, kindOfGround, type ThemeColours, writeColours } from '../../../../builder/plan/theme/colours.ts';
import fc from '../../../helpers/fast-check.ts';

useMode(modeRgb);
useMode(modeOklch);
const toRgb = converter('rgb');
const css = readTokenStyles();

/** Returns the custom properties that a browser would find on light and on dark pages, by reading the rules as it does. */
function compute(colours: ThemeColours, selector = ':root') {
  const { rules } = writeColours(colours, css);
  const found = { light: new Map<string, string>(), dark: new Map<string, string>() };
  const escaped = selector.replace('.', '\\.');
  const own = [...rules.matchAll(new RegExp(`${escaped}\\{([^}]*)\\}`, 'g'))].map(([, body]) => body).join(';');
  for (const text of [css, own]) {
    for (const [, name, value] of text.matchAll(/--([\w-]+): *(#[0-9a-f]+|light-dark\([^()]*\))/g)) {
      const [, light = value!, dark = value!] = /^light-dark\((.*), *(.*)\)$/.exec(value!) ?? [];
      found.light.set(name!, light);
      found.dark.set(name!, dark);
    }
  }
  for (const kind of ['light', 'dark'] as const) {
    const accent = /\baccent:/.test(own.replace(/accent-(?:light|dark)/g, '')) ? 'accent' : `accent-${kind}`;
    found[kind].set('accent', found[kind].get(accent)!);
  }
  return found;
}

const mix = (ground: string, text: string, share: number): string => {
  const [a, b] = [toRgb(ground)!, toRgb(text)!];
  const part = (one: number, other: number): number => Math.round((one * (1 - share) + other * share) * 255);
  return `rgb(${part(a.r, b.r)}, ${part(a.g, b.g)}, ${part(a.b, b.b)})`;
};

test('isColour() takes opaque CSS colours', (t) => {
  for (const name of [
    '#0a7',
    '#00aa77',
    'teal',
    'TEAL',
    'rgb(0 170 119)',
    'hsl(120deg 50% 50%)',
    'oklch(60% 0.2 250)',
    'lab(50% 40 59)',
  ]) {
    t.true(isColour(name), name);
  }
  for (const name of [
    'bluish',
    '#12',
    'rgb(0 0 0 / 50%)',
    '#00aa7780',
    'transparent',
    'currentcolor',
    '',
    'url(x)',
    'red;',
  ]) {
    t.false(isColour(name), name);
  }
});

test('kindOfGround() knows light from dark, and what is neither', (t) => {
  t.is(kindOfGround('#fffaf0'), 'light');
  t.is(kindOfGround('#0b1021'), 'dark');
  t.is(kindOfGround('#888'), undefined);
});

test('writeColours() leaves a colour alone that can be read, and derives the one of dark pages without a word', (t) => {
  const { rules, problems } = writeColours({ accent: '#0f5f56' }, css);
  t.deepEqual(problems, []);
  t.regex(rules, /^:root\{--accent-light:#0f5f56;--accent-dark:#[0-9a-f]{6}\}\n$/, 'and nothing else');
  t.deepEqual(writeColours({}, css), { rules: '', problems: [] });
});

test('writeColours() names the pair that cannot be read, and what is used instead', (t) => {
  const { rules, problems } = writeColours(
    { accent: 'gold', colors: { text: { light: '#aaaaaa' }, header: '#36c', headerText: '#58e' } },
    css,
  );
  t.deepEqual(
    problems.map(({ path }) => path.join('.')),
    ['theme.colors.text', 'theme.accent', 'theme.colors.headerText', 'theme.colors.headerText'],
  );
  const [text, accent, header] = problems.map(({ message }) => message) as [string, string, string];
  t.regex(
    text,
    /^"theme\.colors\.text" #aaaaaa on the background #fff of light pages has a contrast of 2\.3:1, less than 4\.5:1: #[0-9a-f]{6} is used instead$/,
  );
  t.regex(accent, /^"theme\.accent" gold on the background #[0-9a-f]+ of light pages has a contrast of 1\.\d:1/);
  t.regex(header, /^"theme\.colors\.headerText" #58e on the header #3366cc of light pages/);
  const used = /: (#[0-9a-f]{6}) is used/.exec(accent)![1]!;
  t.true(rules.includes(`--accent-light:${used}`));
});

test('writeColours() takes a colour for the pages that it fits, and one for each kind', (t) => {
  const both = compute({ colors: { background: { light: '#fffaf0', dark: '#101418' }, header: '#123456' } });
  t.is(both.light.get('bg'), '#fffaf0');
  t.is(both.dark.get('bg'), '#101418');
  const dark = compute({ colors: { background: '#101418' } });
  t.is(dark.light.get('bg'), '#fff', 'as it is');
  t.is(dark.dark.get('bg'), '#101418');
  const header = compute({ colors: { header: '#123456' } }, '.site-header');
  t.is(header.light.get('bg'), '#123456');
  t.is(header.dark.get('bg'), '#123456');
  t.is(header.light.get('text'), '#ffffff');
});

test('writeColours() makes every text of every page readable, whatever the colours are', (t) => {
  const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
  const ground = hex.filter((value) => kindOfGround(value) !== undefined);
  const colours = fc.record(
    {
      accent: hex,
      colors: fc.record(
        { background: ground, text: hex, header: hex, headerText: hex, links: hex, code: ground },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  );
  t.notThrows(() =>
    fc.assert(
      fc.property(colours, (given) => {
        for (const selector of [':root', '.site-header']) {
          const { light, dark } = compute(given, selector);
          for (const [kind, page] of [
            ['light', light],
            ['dark', dark],
          ] as const) {
            const is = (text: string, on: string, value: string): void => {
              const ratio = wcagContrast(page.get(text)!, value);
              if (ratio < 4.5)
                throw new Error(`${selector} ${kind}: ${text} ${page.get(text)} on ${on} ${value}: ${ratio}`);
            };
            for (const on of ['bg', 'bg-soft', 'bg-raised']) {
              for (const text of ['text', 'text-strong', 'text-soft', 'accent']) is(text, on, page.get(on)!);
            }
            const wash = mix(page.get('bg')!, page.get('accent')!, kind === 'light' ? 0.08 : 0.14);
            is('accent', 'wash', page.get('accent-wash')?.startsWith('#') ? page.get('accent-wash')! : wash);
            is('on-accent', 'accent', page.get('accent')!);
            if (selector !== ':root') continue;
            for (const text of ['tk', 'ts', 'tc', 'tf', 'tp', 'tm', 'tu', 'td', 'code-text'])
              is(text, 'code', page.get('code-bg')!);
            for (const text of ['green', 'red', 'yellow', 'blue', 'purple', 'gray'])
              is(text, 'background', page.get('bg')!);
            if (page.has('link') && page.get('link')!.startsWith('#')) is('link', 'background', page.get('bg')!);
          }
        }
      }),
      { numRuns: 150 },
    ),
  );
});
