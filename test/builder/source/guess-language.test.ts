import test from 'ava';
import { BuildError } from '../../../builder/build-error.ts';
import { guessLanguage } from '../../../builder/source/guess-language.ts';
import { findLanguages } from '../../../builder/source/languages.ts';

/** Returns the guess for pages with these texts, by path. */
async function guess(pages: Readonly<Record<string, string>>, defaultLanguage?: string): Promise<string | undefined> {
  const files = Object.keys(pages).map((path) => ({ path, oid: path }));
  const layout = findLanguages(files, undefined, { languages: [], defaultLanguage });
  const readBlob = async (oid: string): Promise<Uint8Array> => Buffer.from(pages[oid]!);
  return guessLanguage({ listing: { files }, layout }, { readBlob });
}

const texts: readonly (readonly [language: string | undefined, text: string])[] = [
  [undefined, '# Lamp\n\nThis is a lamp. It is bright.'],
  ['zh', '# 安装\n\n请先安装软件，然后打开电源。'],
  [
    'zh',
    '# TiDB 安装\n\n运行 `npm install the-lamp-of-a-long-name` 即可。\n\n```sh\nnpm install --global the-lamp-of-a-long-name\n```',
  ],
  ['zh', '---\ntitle: Installation of the lamp and of everything else\n---\n# 安装'],
  ['zh-TW', '# 安裝\n\n請先安裝軟體，這個檔案會開啟電源。'],
  ['ja', '# インストール\n\nまず電源を入れてください。'],
  ['ko', '# 설치\n\n먼저 전원을 켜십시오.'],
  ['ru', '# Установка\n\nСначала включите питание.'],
  ['uk', '# Встановлення\n\nСпочатку увімкніть живлення, потім її вимкніть.'],
  ['ar', '# التثبيت\n\nأولا شغل الطاقة من الزر.'],
  ['fa', '# نصب\n\nابتدا برق را روشن کنید، سپس یک چراغ بگیرید.'],
  ['he', '# התקנה\n\nהפעילו את החשמל.'],
  ['el', '# Εγκατάσταση\n\nΑνάψτε πρώτα το ρεύμα.'],
  ['hi', '# स्थापना\n\nपहले बिजली चालू करें।'],
  ['th', '# การติดตั้ง\n\nเปิดไฟก่อน'],
  [undefined, '# 1\n\n42'],
  [undefined, ''],
];
for (const [language, text] of texts) {
  test(`guessLanguage() returns ${language} for ${JSON.stringify(text.slice(0, 40))}`, async (t) => {
    t.is(await guess({ 'index.md': text }), language);
  });
}

test('guessLanguage() follows most pages, and only those that state no language', async (t) => {
  const chinese = '# 安装';
  const english = '# Installation';
  t.is(await guess({ 'a.md': chinese, 'b.md': chinese, 'c.md': english }), 'zh');
  t.is(await guess({ 'a.md': chinese, 'b.md': english, 'c.md': english }), undefined);
  t.is(await guess({ 'a.md': chinese, 'b.md': english }), undefined);
  t.is(await guess({ 'README.md': english, 'README.zh.md': chinese, 'README.ja.md': chinese }), undefined);
  t.is(await guess({ 'README.md': chinese, 'README.en.md': english }), 'zh');
  t.is(await guess({ 'en/a.md': english, 'zh/a.md': chinese }), undefined);
});

test('guessLanguage() says nothing where the configuration does, nor of what cannot be read', async (t) => {
  t.is(await guess({ 'a.md': '# 安装' }, 'fr'), undefined);
  const files = ['a.md', 'b.md'].map((path) => ({ path, oid: path }));
  const layout = findLanguages(files, undefined);
  const readBlob = async (oid: string): Promise<Uint8Array> => {
    if (oid === 'a.md') throw new BuildError('damaged-repository', 'Damaged');
    return Buffer.from('# 安装');
  };
  t.is(await guessLanguage({ listing: { files }, layout }, { readBlob }), 'zh');
});

test('guessLanguage() reads a few of many pages, and long ones without delay', async (t) => {
  const files = Array.from({ length: 5_000 }, (_, at) => ({ path: `${at}.md`, oid: `${at}` }));
  const layout = findLanguages(files, undefined);
  let reads = 0;
  const readBlob = async (): Promise<Uint8Array> => {
    reads++;
    return Buffer.from('安装`<[](https:```\n'.repeat(100_000));
  };
  t.is(await guessLanguage({ listing: { files }, layout }, { readBlob }), 'zh');
  t.true(reads <= 10, String(reads));
});
