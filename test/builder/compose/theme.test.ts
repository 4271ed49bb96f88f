import { createTheme } from '../../../builder/compose/theme.ts';
import test from '../../helpers/serial-test.ts';

const place = { siteRoot: '../../', assets: '../../_docbuild/', languages: 2, hasRepository: false };

test('createTheme() counts URLs from the root of the site, unless they lead elsewhere', (t) => {
  const urls = ['blog/', '/blog/', './blog/', 'https://example.test/', '//example.test/', 'mailto:a@example.test'];
  const placed = urls.map((url) => {
    const announcement = { text: 'New', url };
    return createTheme({ title: 'T', single: false, announcement, theme: {} }, {}, place).announcement?.url;
  });
  t.deepEqual(placed, ['../../blog/', '../../blog/', '../../blog/', ...urls.slice(3)]);
});

test('createTheme() finds images among the theme’s own files, or where they are', (t) => {
  const images = {
    logo: { name: 'logo.1.svg', bytes: Buffer.from('') },
    favicon: { url: 'https://example.test/f.ico' },
  };
  t.like(createTheme({ title: 'T', single: false, theme: {} }, images, place), {
    logo: { url: '../../_docbuild/logo.1.svg', dark: undefined },
    favicon: 'https://example.test/f.ico',
  });
  t.like(createTheme({ title: 'T', single: false, theme: {} }, {}, place), { logo: undefined, favicon: undefined });
});

test('createTheme() has a button unless there shall be none', (t) => {
  t.is(createTheme({ title: 'T', single: false, button: false, theme: {} }, {}, place).button, undefined);
  t.deepEqual(createTheme({ title: 'T', single: false, theme: {} }, {}, place).button, {
    ...{ script: undefined, api: undefined, site: '../../', isSingle: false },
  });
});

test('createTheme() has no button that would say nothing', (t) => {
  const hasButton = (single: boolean, more: Partial<typeof place>, server = {}): boolean =>
    createTheme({ title: 'T', single, ...server, theme: {} }, {}, { ...place, ...more }).button !== undefined;
  t.false(hasButton(true, { languages: 1 }));
  t.true(hasButton(true, { languages: 2 }));
  t.true(hasButton(false, { languages: 1 }));
  t.true(hasButton(true, { languages: 1, hasRepository: true }), 'it leads to the repository');
  t.true(
    hasButton(true, { languages: 1 }, { button: { api: 'https://docs.example.org', script: '' } }),
    'the server knows more',
  );
});
