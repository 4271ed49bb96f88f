import test from 'ava';
import { findScriptImports } from '../../../../builder/markdown/raw-html/foreign-resources.ts';
import { fastestMs } from '../../../helpers/fastest-ms.ts';

const IMPORTS: readonly (readonly [script: string, ...urls: readonly string[]])[] = [
  ['import"https://a.example/x.js"', 'https://a.example/x.js'],
  ["import a, { b as c } from 'https://a.example/'", 'https://a.example/'],
  ['import {\n  a,\n} from\n"x"', 'x'],
  ['export * from "x"; export { a } from "y"', 'x', 'y'],
  ['const { a } = await import(/* webpackIgnore: true */ "x")', 'x'],
  ['import // why\n"x"', 'x'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the script has it
  ['import(`https://a.example/${version}/x.js`)', 'https://a.example/'],
  ['import "https:\\/\\/\\x61.example\\u002f"', 'https://a.example/'],
  ['// import "x"\n/* import "x" */ "import \'x\'"; `import "x"`'],
  ['Array.from("x"); a.import("x"); $import("x"); important("x"); this.#import("x")'],
  ['import.meta.url; import(name); const from = "x"'],
  ['say("it\\"s"); import "x"', 'x'],
  ["// it's\nimport 'x'", 'x'],
  ['import "x'],
];

for (const [script, ...urls] of IMPORTS) {
  test(`findScriptImports() finds ${urls.join(', ') || 'nothing'} in ${JSON.stringify(script)}`, (t) => {
    const found = findScriptImports(script);
    t.deepEqual(
      found.map(({ url }) => url).filter((url) => url !== ''),
      urls,
    );
    for (const { url, at } of found) if (/^\w+$/.test(url)) t.is(script.slice(at, at + url.length), url);
  });
}

test.serial('findScriptImports() takes time in proportion to the script, whatever it is', (t) => {
  for (const part of ['import(', 'import /*', 'from "', 'import `', 'import "\\', '/* //', 'import //\n', 'import  ']) {
    t.true(fastestMs(() => findScriptImports(part.repeat(100_000))) < 2_000, part);
  }
});
