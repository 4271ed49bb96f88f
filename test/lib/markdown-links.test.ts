import test from 'ava';
import { absolutizeMarkdown } from '../../lib/markdown-links.ts';
import { fastestMs } from '../helpers/fastest-ms.ts';

const PAGE = 'https://docs.example/guide/en/v1/a/b.html';

test('absolutizeMarkdown() makes the targets of links and pictures absolute, and names the page', (t) => {
  const text = `---
title: "B"
---

# B

[one](./c.html#x) ![two](../_files/d.png) [![three](e.svg)](https://other.example/) [four](#own) [five](/root)

> - [six](../)
`;
  t.is(
    absolutizeMarkdown(text, PAGE),
    `---
url: "${PAGE}"
title: "B"
---

# B

[one](https://docs.example/guide/en/v1/a/c.html#x) ![two](https://docs.example/guide/en/v1/_files/d.png) [![three](https://docs.example/guide/en/v1/a/e.svg)](https://other.example/) [four](#own) [five](https://docs.example/root)

> - [six](https://docs.example/guide/en/v1/)
`,
  );
});

test('absolutizeMarkdown() leaves code and escaped text alone', (t) => {
  const text = `\`[a](b)\` \`\` \`[a](b) \`\` [a\\](b) \\\`[c](d)

> \`\`\`\`md
> [a](b)
> \`\`\`
> [a](b)
> \`\`\`\`

1. \`\`\`
   [a](b)
   \`\`\`
`;
  t.is(absolutizeMarkdown(text, PAGE), text.replace('[c](d)', '[c](https://docs.example/guide/en/v1/a/d)'));
});

test.serial('absolutizeMarkdown() takes linear time for runs of backticks, whatever their lengths', (t) => {
  let runs = '](x)';
  for (let length = 1; runs.length < 1_500_000; length++) runs += `${'`'.repeat(length)} `;
  for (const line of [runs, '](x)`'.repeat(30_000), '](x)\\`'.repeat(30_000), ']('.repeat(500_000)]) {
    const ms = fastestMs(() => absolutizeMarkdown(line, PAGE));
    t.true(ms < 1_500, `${line.slice(0, 20)}: ${ms} ms`);
  }
});
