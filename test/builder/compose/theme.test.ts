import test from 'ava';
import { createTheme } from '../../../builder/compose/theme.ts';

const place = { siteRoot: '../../', assets: '../../_docbuild/', languages: 2, versions: 2, repository: undefined };
const repository = { url: 'https://github.example/team/demo', icon: undefined };

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
  t.like(createTheme({ title: 'T', single: false, theme: {} }, { images }, place), {
    logo: { url: '../../_docbuild/logo.1.svg', dark: undefined },
    favicon: 'https://example.test/f.ico',
  });
  t.like(createTheme({ title: 'T', single: false, theme: {} }, {}, place), { logo: undefined, favicon: undefined });
});

test('createTheme() has a button unless there shall be none', (t) => {
  t.is(createTheme({ title: 'T', single: false, button: false, theme: {} }, {}, place).button, undefined);
  t.deepEqual(createTheme({ title: 'T', single: false, theme: {} }, {}, place).button, {
    script: undefined,
    api: undefined,
    site: '../../',
    isSingle: false,
  });
});

test('createTheme() has no button that would say nothing', (t) => {
  const hasButton = (single: boolean, more: Partial<Parameters<typeof createTheme>[2]>, server = {}): boolean =>
    createTheme({ title: 'T', single, ...server, theme: {} }, {}, { ...place, ...more }).button !== undefined;
  t.false(hasButton(true, { languages: 1 }));
  t.true(hasButton(true, { languages: 2 }));
  t.true(hasButton(false, { languages: 1 }));
  t.false(hasButton(false, { languages: 1, versions: 1 }));
  t.true(hasButton(true, { languages: 1, repository }), 'it leads to the repository');
  t.true(
    hasButton(true, { languages: 1 }, { button: { api: 'https://docs.example.org', script: '' } }),
    'the server knows more',
  );
});

test('createTheme() has no menu of one version, nor of one language', (t) => {
  const menus = (versions: number, languages: number, single = false) => {
    const { switches } = createTheme({ title: 'T', single, theme: {} }, {}, { ...place, versions, languages });
    return switches && [switches.hasVersions, switches.hasLanguages];
  };
  t.deepEqual(menus(2, 2), [true, true]);
  t.deepEqual(menus(1, 2), [false, true]);
  t.deepEqual(menus(2, 1), [true, false]);
  t.deepEqual(menus(2, 2, true), [false, true]);
  t.is(menus(1, 1), undefined);
});

test('createTheme() leads to the repository, and says whether a link of the author does', (t) => {
  const isLinked = (url: string): boolean | undefined => {
    const links = [{ links: [{ url }] }];
    return createTheme({ title: 'T', single: false, theme: { links } }, {}, { ...place, repository }).repository
      ?.isLinked;
  };
  t.is(createTheme({ title: 'T', single: false, theme: {} }, {}, place).repository, undefined);
  t.like(createTheme({ title: 'T', single: false, theme: {} }, {}, { ...place, repository }).repository, {
    url: repository.url,
    isLinked: false,
  });
  for (const url of [repository.url, `${repository.url}/`, `${repository.url}.git`, 'https://GitHub.example/Team/demo'])
    t.true(isLinked(url), url);
  for (const url of ['https://github.example/team', `${repository.url}/issues`, './', '']) t.false(isLinked(url), url);
});
