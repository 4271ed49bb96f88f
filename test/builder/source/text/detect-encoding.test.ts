import test from 'ava';
import { decodeText } from '../../../../builder/source/text/decode-text.ts';
import { encodeText } from '../../../helpers/encode-text.ts';
import { fastestMs } from '../../../helpers/fastest-ms.ts';

const TEXTS: readonly (readonly [label: string, name: string, text: string])[] = [
  [
    'gb18030',
    'GB18030',
    '# 安装\n\n请先下载软件包，然后运行下面的命令：\n\n```\nnpm install\n```\n\n配置文件在根目录中。\n',
  ],
  ['gb18030', 'GB18030', '# 你好\n'],
  ['gb18030', 'GB18030', '---\ntitle: 快速开始\n---\n\nUse npm。\n'],
  ['big5', 'BIG5', '# 安裝\n\n請先下載套件，然後執行下面的指令。設定檔案在根目錄中，您也可以使用其他的方式。\n'],
  ['shift_jis', 'SHIFT_JIS', '# インストール\n\n次のコマンドを実行してください。設定ファイルはルートにあります。\n'],
  ['euc-jp', 'EUC-JP', '# インストール\n\n次のコマンドを実行してください。設定ファイルはルートにあります。\n'],
  ['euc-kr', 'EUC-KR', '# 설치\n\n아래 명령을 실행하여 패키지를 설치합니다. 설정 파일은 최상위 폴더에 있습니다.\n'],
  ['windows-1251', 'WINDOWS-1251', '# Установка\n\nСначала загрузите пакет, затем выполните команду npm install.\n'],
  ['koi8-r', 'KOI8-R', '# Установка\n\nСначала загрузите пакет, затем выполните команду npm install.\n'],
];

for (const [label, name, text] of TEXTS) {
  test(`decodeText() reads ${name}: ${JSON.stringify(text.slice(0, 24))}`, (t) => {
    t.deepEqual(decodeText(encodeText(text, label)), { text, encoding: name });
  });
}

for (const text of [
  '# Café\n',
  'Gr\u00fc\u00dfe\n',
  'Größe, Länge, Höhe, Schlüssel, Übung, Äpfel, für, größer, später, häufig, zurück, öffnen: äöü\n',
  '# Über uns\n\nÄnderungen für Jörg\n',
  "# Référence\n\nL'été, à côté d'où l'on naît, la façade créée.\n",
  '¿Qué? ¡Mañana! El número 1º está aquí.\n',
  'Não há opções, só ações.\n',
  'Perché? È così, però più città.\n',
  'Smørbrød på fjellet, blå ærter.\n',
  'Copyright © 2010, 5 × 3 µm², 20 °C.\n',
  'Thanks to Jos\u00e9, S\u00f8ren and J\u00fcrgen.\n'.padEnd(900, 'plain words of English '),
]) {
  test(`decodeText() reads Latin-1: ${JSON.stringify(text.slice(0, 40))}`, (t) => {
    t.deepEqual(decodeText(Buffer.from(text, 'latin1')), { text, encoding: 'WINDOWS-1252' });
  });
}

test('decodeText() reads the quotes and dashes of windows-1252', (t) => {
  const bytes = Buffer.from('It\x92s \x93quoted\x94 \x96 and \x80 5\x85\n', 'latin1');
  t.deepEqual(decodeText(bytes), { text: 'It’s “quoted” – and € 5…\n', encoding: 'WINDOWS-1252' });
});

test('decodeText() reads UTF-16 by its mark, and without one by the zeros of ASCII', (t) => {
  const text = '# Größe\n\nnumber 指\n';
  const little = Buffer.from(text, 'utf16le');
  const big = Buffer.from(little).swap16();
  t.deepEqual(decodeText(Buffer.from(`\ufeff${text}`, 'utf16le')), { text, encoding: 'UTF-16LE' });
  t.deepEqual(decodeText(Buffer.from(`\ufeff${text}`, 'utf16le').swap16()), { text, encoding: 'UTF-16BE' });
  t.deepEqual(decodeText(little), { text, encoding: 'UTF-16LE' });
  t.deepEqual(decodeText(big), { text, encoding: 'UTF-16BE' });
});

for (const [title, bytes] of [
  ['Polish in ISO 8859-2', encodeText('# Zażółć gęślą jaźń\n\nŚcieżka do pliku\n', 'iso-8859-2')],
  ['Czech in windows-1250', encodeText('# Příliš žluťoučký kůň\n\nÚpěl ďábelské ódy\n', 'windows-1250')],
  ['Turkish in windows-1254', encodeText('# Değişiklikler\n\nİlk sürüm, şu dosyayı açın\n', 'windows-1254')],
  ['Greek in windows-1253', encodeText('# Εγκατάσταση\n\nΤο αρχείο ρυθμίσεων\n', 'windows-1253')],
  ['Hebrew in windows-1255', encodeText('# התקנה\n\nקובץ ההגדרות\n', 'windows-1255')],
  ['a picture', Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0xff, 0xd8])],
  ['UTF-8 with a byte that is damaged', Buffer.concat([Buffer.from('# Été à Orléans\n\n'), Buffer.from([0xe9, 10])])],
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0])],
  ['UTF-16 cut in a character', Buffer.from([0xff, 0xfe, 0x41, 0, 0x42])],
] as const) {
  test(`decodeText() does not guess: ${title}`, (t) => {
    const decoded = decodeText(bytes);
    t.true('code' in decoded && decoded.code === 'not-utf8', JSON.stringify(decoded));
  });
}

test('decodeText() tells encodings of five megabytes fast', (t) => {
  const text = `${'指'.repeat(10)}\n${'á'.repeat(10)}\n`;
  for (const bytes of [
    Buffer.alloc(4_999_999, encodeText('配置文件在根目录中', 'gb18030')),
    Buffer.alloc(4_999_999, 'caf\xe9 ', 'latin1'),
    Buffer.alloc(4_999_999, 0xff),
    Buffer.alloc(4_999_999, 0xe9),
    Buffer.concat([Buffer.alloc(4_900_000, text), Buffer.from([0xff])]),
    Buffer.concat([Buffer.alloc(4_900_000, 'x\n'), Buffer.from([0xe9])]),
  ]) {
    t.true(fastestMs(() => decodeText(bytes)) < 1000);
  }
});
