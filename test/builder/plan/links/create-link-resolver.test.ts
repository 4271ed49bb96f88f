import test from 'ava';
import {
  createLinkResolver,
  type LinkOutcome,
  type LinkPlace,
  type LinkScope,
} from '../../../../builder/plan/links/create-link-resolver.ts';
import { listCandidates } from '../../../../builder/plan/links/link-candidates.ts';
import fc from '../../../helpers/fast-check.ts';
import { fastestMs } from '../../../helpers/fastest-ms.ts';

/** Pages of `docs/en/` by file; the address is that in the release. */
const pages: Readonly<Record<string, string>> = {
  'docs/en/index.md': '',
  'docs/en/guide/index.md': 'guide/',
  'docs/en/guide/a.md': 'guide/a.html',
  'docs/en/guide/reindex.md': 'guide/reindex.html',
  'docs/en/guide/a b.md': 'guide/a%20b.html',
  'docs/en/guide/指南.md': 'guide/%E6%8C%87%E5%8D%97.html',
  'docs/en/guide/100%.md': 'guide/100%25.html',
  'docs/en/guide/what#now.md': 'guide/what%23now.html',
  'docs/en/ref/README.md': 'ref/',
  'docs/en/api/Readme.md': 'api/',
  'docs/en/both/index.md': 'both/',
  'docs/en/x.mdx': 'x.html',
  'docs/en/v1.2.md': 'v1.2.html',
};
const elsewhere: Readonly<Record<string, string>> = {
  'docs/zh/guide/a.md': 'zh/v1/guide/a.html',
  'docs/zh/index.md': 'zh/v1/',
};
const files = new Set([
  'docs/en/guide/pic.png',
  'docs/en/guide/demo.html',
  'docs/en/both/README.md',
  'docs/public/logo.svg',
  'docs/en/public/en.svg',
  'docs/static/s.pdf',
  'docs/shared.png',
  'LICENSE',
  'src/index.ts',
  'docs/en/guide/a b.png',
]);
const folders = new Set(['docs', 'docs/en', 'docs/en/empty', 'src']);

const world: LinkScope = {
  roots: {
    sourceFolder: 'docs/',
    defaultFolder: 'docs/en/',
    languageFolders: [],
    statics: [],
    bases: [],
    hasPageFolders: false,
    isFromContent: false,
    aliases: [],
  },
  findPage(file) {
    const ids = new Set(['top-1', '标题', 'a/b']);
    if (Object.hasOwn(pages, file)) return { address: pages[file]!, isElsewhere: false, ids };
    if (Object.hasOwn(elsewhere, file)) return { address: elsewhere[file]!, isElsewhere: true, ids: undefined };
    return undefined;
  },
  hasFile: (file) => files.has(file),
  isOutside: (file) => !file.startsWith('docs/'),
  hasFolder: (folder) => folders.has(folder),
  placeFile: (file) => `_files/${file.split('/').map(encodeURIComponent).join('/')}`,
  hostUrl: (path, isFolder) => `https://host.test/${isFolder ? 'tree' : 'blob'}/main/${path}`,
};
const place: LinkPlace = {
  folder: 'docs/en/guide/',
  languageFolder: 'docs/en/',
  root: '../',
  siteRoot: '../../../',
  ids: new Set(['here', '标题']),
};

function resolve(
  url: string,
  options: {
    readonly kind?: 'link' | 'image';
    readonly world?: Partial<LinkScope>;
    readonly place?: Partial<LinkPlace>;
  } = {},
): LinkOutcome {
  return createLinkResolver({ ...world, ...options.world })(
    { kind: options.kind ?? 'link', url, line: 1 },
    { ...place, ...options.place },
  );
}

const links: Readonly<Record<string, readonly (readonly [url: string, to: string])[]>> = {
  'as on disk': [
    ['a.md', '../guide/a.html'],
    ['./a.md', '../guide/a.html'],
    ['../ref/README.md', '../ref/'],
    ['../x.mdx', '../x.html'],
    ['../index.md', '../'],
    ['../../../docs/en/guide/a.md', '../guide/a.html'],
  ],
  'as on the site': [
    ['a.html', '../guide/a.html'],
    ['a', '../guide/a.html'],
    ['a/', '../guide/a.html'],
    ['../x', '../x.html'],
    ['../v1.2', '../v1.2.html'],
    ['index.html', '../guide/'],
    ['../ref/index.html', '../ref/'],
    ['../ref/index', '../ref/'],
    ['reindex', '../guide/reindex.html'],
  ],
  'to folders': [
    ['./', '../guide/'],
    ['.', '../guide/'],
    ['..', '../'],
    ['../', '../'],
    ['../ref', '../ref/'],
    ['../ref/', '../ref/'],
    ['../api/', '../api/'],
  ],
  'to an index by its other name': [
    ['../both/README.md', '../both/'],
    ['../both/readme.md', '../both/'],
  ],
  'from the root': [
    ['/guide/a.md', '../guide/a.html'],
    ['/guide/a', '../guide/a.html'],
    ['/', '../'],
    ['/ref/', '../ref/'],
    ['/en/guide/a.md', '../guide/a.html'],
    ['/docs/en/guide/a.md', '../guide/a.html'],
  ],
  'to another language': [
    ['../../zh/guide/a.md', '../../../zh/v1/guide/a.html'],
    ['/zh/guide/a', '../../../zh/v1/guide/a.html'],
    ['/zh/', '../../../zh/v1/'],
  ],
  'with encoded and other characters': [
    ['a%20b.md', '../guide/a%20b.html'],
    ['a b.md', '../guide/a%20b.html'],
    ['指南.md', '../guide/%E6%8C%87%E5%8D%97.html'],
    ['%E6%8C%87%E5%8D%97.md', '../guide/%E6%8C%87%E5%8D%97.html'],
    ['100%25.md', '../guide/100%25.html'],
    ['100%.md', '../guide/100%25.html'],
    ['what%23now.md', '../guide/what%23now.html'],
    ['a%2Emd', '../guide/a.html'],
  ],
  'with query and fragment': [
    ['a.md?x=1&y=2', '../guide/a.html?x=1&y=2'],
    ['a.md#top-1', '../guide/a.html#top-1'],
    ['a.md?x=1#top-1', '../guide/a.html?x=1#top-1'],
    ['a.md#标题', '../guide/a.html#%E6%A0%87%E9%A2%98'],
    ['a.md#%E6%A0%87%E9%A2%98', '../guide/a.html#%E6%A0%87%E9%A2%98'],
    ['a.md#', '../guide/a.html#'],
    ['a.md#top', '../guide/a.html#top'],
    ['a.md#:~:text=some%20words,end', '../guide/a.html#:~:text=some%20words,end'],
    ['a.md#top-1:~:text=x', '../guide/a.html#top-1:~:text=x'],
    ['../../zh/guide/a.md#whatever', '../../../zh/v1/guide/a.html#whatever'],
  ],
  'inside the page': [
    ['#here', '#here'],
    ['#标题', '#标题'],
    ['#%E6%A0%87%E9%A2%98', '#%E6%A0%87%E9%A2%98'],
    ['#', '#'],
    ['#top', '#top'],
    ['?x=1', '?x=1'],
    ['?x=1#here', '?x=1#here'],
    ['', ''],
  ],
};
for (const [title, list] of Object.entries(links)) {
  for (const [url, to] of list) {
    test(`createLinkResolver() resolves links ${title}: ${JSON.stringify(url)}`, (t) => {
      const isOfVersion = to.includes('/v1/') && { isOfVersion: true };
      t.deepEqual(resolve(url), { url: to, problem: undefined, file: undefined, ...isOfVersion });
    });
  }
}

for (const [url, file] of [
  ['pic.png', 'docs/en/guide/pic.png'],
  ['./pic.png?raw=1#x', 'docs/en/guide/pic.png'],
  ['../../shared.png', 'docs/shared.png'],
  ['/logo.svg', 'docs/public/logo.svg'],
  ['/en.svg', 'docs/en/public/en.svg'],
  ['/s.pdf', 'docs/static/s.pdf'],
  ['a%20b.png', 'docs/en/guide/a b.png'],
  ['demo.html', 'docs/en/guide/demo.html'],
] as const) {
  for (const kind of ['link', 'image'] as const) {
    test(`createLinkResolver() lets the file of the ${kind} ${url} travel`, (t) => {
      const rest = /[?#].*$/.exec(url)?.[0] ?? '';
      const address = file.split('/').map(encodeURIComponent).join('/');
      t.deepEqual(resolve(url, { kind }), { url: `../_files/${address}${rest}`, problem: undefined, file });
    });
  }
}

test('createLinkResolver() says of every link that another version may lead elsewhere', (t) => {
  const findVersion = (path: string) => (path.startsWith('/v1/') ? { path: path.slice(3) } : undefined);
  const resolver = createLinkResolver({ ...world, findVersion });
  for (const url of ['../../zh/guide/a.md', '/v1/guide/a', '/v1/nowhere']) {
    const slot = { kind: 'link', url, line: 1 } as const;
    t.deepEqual(
      [1, 2].map(() => resolver(slot, place).isOfVersion),
      [true, true],
      url,
    );
  }
  t.is(resolver({ kind: 'link', url: 'a.md', line: 1 }, place).isOfVersion, undefined);
});

test('createLinkResolver() leads to the code host for files and folders outside the documentation', (t) => {
  t.is(resolve('../../../LICENSE').url, 'https://host.test/blob/main/LICENSE');
  t.is(resolve('../../../src/index.ts#L3').url, 'https://host.test/blob/main/src/index.ts#L3');
  t.is(resolve('/src/index.ts').url, 'https://host.test/blob/main/src/index.ts');
  t.is(resolve('../../../src').url, 'https://host.test/tree/main/src');
  t.is(resolve('../../../src/').url, 'https://host.test/tree/main/src');
  t.is(resolve('../empty/').url, 'https://host.test/tree/main/docs/en/empty');
  t.is(resolve('../../../').url, 'https://host.test/tree/main/');
  t.is(resolve('../../..').url, 'https://host.test/tree/main/');
});

test('createLinkResolver() lets files travel where no code host is known', (t) => {
  t.deepEqual(resolve('../../../LICENSE', { world: { hostUrl: () => undefined } }), {
    url: '../_files/LICENSE',
    problem: undefined,
    file: 'LICENSE',
  });
});

test('createLinkResolver() takes images along even when the code host is known', (t) => {
  t.is(resolve('../../../LICENSE', { kind: 'image' }).file, 'LICENSE');
});

for (const url of [
  'b.md',
  'b',
  '../b/',
  '/b.md',
  '../../../../outside.md',
  '../../../../docs/en/guide/a.md',
  'a.md/b',
  '../refindex',
  'aindex.html',
  '__proto__',
  'constructor.md',
  'a%00.md',
  '..%2f..%2f..%2f..%2fetc/passwd',
  '%',
  '%zz',
  'A.md',
  '..\\a.md',
  'toString',
]) {
  test(`createLinkResolver() leaves the dead link ${JSON.stringify(url)} as it is and reports it`, (t) => {
    t.deepEqual(resolve(url), {
      url,
      problem: { code: 'dead-link', message: `Link "${url}" leads to no page or file` },
      file: undefined,
    });
  });
}

test('createLinkResolver() reports a missing image', (t) => {
  t.deepEqual(resolve('no.png', { kind: 'image' }).problem, {
    code: 'missing-file',
    message: 'File "no.png" does not exist',
  });
});

test('createLinkResolver() reports anchors that do not exist, here and on other pages', (t) => {
  t.deepEqual(resolve('#gone'), {
    url: '#gone',
    problem: { code: 'dead-anchor', message: 'Anchor "#gone" does not exist in this page' },
    file: undefined,
  });
  const { url, problem } = resolve('a.md#gone');
  t.is(url, '../guide/a.html#gone');
  t.deepEqual(problem, { code: 'dead-anchor', message: 'Anchor "#gone" does not exist in page "docs/en/guide/a.md"' });
  t.is(resolve('?x#gone').problem?.code, 'dead-anchor');
});

test('createLinkResolver() leads to the one anchor that is equal but for case and Unicode form', (t) => {
  const ids = new Set(['deep-state', 'Twice', 'twice', 'gr\u00f6\u00dfe', 'a%b']);
  const scope = (url: string) => resolve(url, { place: { ids } });
  t.deepEqual(scope('#Deep-State'), { url: '#deep-state', problem: undefined, file: undefined });
  t.is(scope('?x=1#DEEP-STATE').url, '?x=1#deep-state');
  t.is(scope('#Gro\u0308\u00dfe').url, '#gr%C3%B6%C3%9Fe');
  t.is(scope('#A%B').url, '#a%25b');
  t.is(scope('#TWICE').problem?.code, 'dead-anchor');
  t.is(scope('#$deep.state()').url, '#deep-state');
  t.is(scope('#$').problem?.code, 'dead-anchor');
  t.deepEqual(scope('#Twice'), { url: '#Twice', problem: undefined, file: undefined });
});

test('createLinkResolver() hands what follows # to viewers of files as it is written', (t) => {
  for (const fragment of ['page=2', 't=10,20', 'svgView(viewBox(0,0,1,1))', "a!$&'*+;:@/?b"]) {
    t.true(resolve(`pic.png#${fragment}`).url.endsWith(`/pic.png#${fragment}`), fragment);
  }
});

test('createLinkResolver() shortens what it reports', (t) => {
  t.true(resolve('x'.repeat(100_000)).problem!.message.length < 300);
});

test('createLinkResolver() works at the root of a single site', (t) => {
  const single = {
    roots: {
      sourceFolder: '',
      defaultFolder: '',
      languageFolders: [],
      statics: [],
      bases: [],
      hasPageFolders: false,
      isFromContent: false,
      aliases: [],
    },
    findPage: (file: string) =>
      file === 'README.md' ? { address: '', isElsewhere: false, ids: undefined } : undefined,
  };
  const here = { folder: '', languageFolder: '', root: './', siteRoot: './' };
  for (const url of ['README.md', './', '/', '.', 'index.html', '/index.html', 'index', '']) {
    t.true(['./', ''].includes(resolve(url, { world: single, place: here }).url), url);
    t.is(resolve(url, { world: single, place: here }).problem, undefined, url);
  }
});

test('createLinkResolver() never throws, never leaves the repository, and is fast', (t) => {
  const asked: string[] = [];
  const watching: Partial<LinkScope> = {
    findPage: (file) => void asked.push(file),
    hasFile: (file) => void asked.push(file) === undefined && false,
    hasFolder: (folder) => void asked.push(folder) === undefined && false,
  };
  const piece = fc.oneof(
    fc.constantFrom('..', '.', '/', '%2e', '%2F', '%', '#', '?', '\\', '\0', '\ud800', 'a', '.md', '//', ':~:'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.constantFrom('link' as const, 'image' as const),
      (pieces, kind) => {
        asked.length = 0;
        resolve(pieces.join(''), { kind, world: watching });
        return asked.every(
          (path) => !path.startsWith('/') && !path.split('/').includes('..') && !path.split('/').includes('.'),
        );
      },
    ),
    { numRuns: 1_000 },
  );
  for (const url of [
    '../'.repeat(33_000),
    'a/'.repeat(50_000),
    '%2e'.repeat(33_000),
    `${'index'.repeat(20_000)}.html`,
    '#'.repeat(100_000),
  ]) {
    const ms = fastestMs(() => {
      resolve(url);
    });
    t.true(ms < 100, url.slice(0, 10));
  }
});

test('createLinkResolver() survives half a surrogate pair', (t) => {
  t.is(resolve('a.md#\ud800').url, '../guide/a.html#%EF%BF%BD');
});

test('an absolute address also means a public folder above the source folder', (t) => {
  const { roots } = world;
  const place = { folder: 'a/b/docs/', languageFolder: 'a/b/docs/' };
  const found = listCandidates('/x.png', place, { ...roots, sourceFolder: 'a/b/docs/', defaultFolder: 'a/b/docs/' });
  const above = ['a/b/public/x.png', 'a/b/static/x.png', 'a/public/x.png', 'a/static/x.png', 'public/x.png'];
  t.deepEqual(
    above.filter((path) => !found.includes(path)),
    [],
  );
  t.true(found.indexOf('x.png') < found.indexOf('public/x.png'));
});

test('an absolute address of a picture also means the code beside the pages', (t) => {
  const place = { folder: 'content/', languageFolder: 'content/' };
  const roots = { ...world.roots, sourceFolder: 'content/', defaultFolder: 'content/' };
  t.is(listCandidates('/assets/a.png', place, roots).at(-1), 'src/assets/a.png');
  for (const path of ['/assets/a', '/a.md', '/a.html', '/main.ts', '/docs/1.9']) {
    t.false(listCandidates(path, place, roots).includes(`src${path}`), path);
  }
});

test('an address with a placeholder means what stands behind it, too', (t) => {
  const place = { folder: 'docs/en/', languageFolder: 'docs/en/' };
  t.true(listCandidates('/docs/{{version}}/guide/a', place, world.roots).includes('docs/en/guide/a'));
  t.false(listCandidates('/docs/version/guide/a', place, world.roots).includes('docs/en/guide/a'));
});
