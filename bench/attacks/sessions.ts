import { type Answer, ask, askRaw } from './ask.ts';
import { type Attack, type AttackedServer, from, startServer, tally, writeConfig } from './attack.ts';

const PASSWORD = 'correct horse battery';
/** Headers that nginx adds for a browser at `https://docs.example.org/`. */
const HOST = 'docs.example.org';
const BROWSER = { Host: HOST, 'X-Forwarded-Proto': 'https', ...from(1) };
const SAME_ORIGIN = { Origin: `https://${HOST}`, 'Sec-Fetch-Site': 'same-origin' };
const COOKIES = 60;
const COOKIE_BYTES = 4_000;

/** A page of an author sets cookies for the domain that it shares with the console, and an operator visits the console. */
export const sessionAttack: Attack = {
  name: 'sessions',
  title: 'Sessions: a page beside the console plants its own session, and 60 large cookies',
  async run(arena) {
    // What the documentation recommended.
    const place = writeConfig(arena, `docs: {domain: ${HOST}}\n`, 'server', `, docs_api_url: 'https://${HOST}'`);
    const server = await startServer(arena, place);
    for (const account of ['boss', 'mallory'])
      await server.operations.createUser({ account, password: PASSWORD, isOperator: account === 'boss' });
    const boss = await logIn(server, 'boss');
    const mallory = await logIn(server, 'mallory');
    const own = boss.map(({ name, value }) => `${name}=${value}`).join('; ');
    const theirCookie = mallory.map(({ name, value }) => `${name}=${value}`).join('; ');
    const token = mallory.find(({ name }) => name.endsWith('sessionId'))!.value;
    const planted = `sessionId=${token}`;

    arena.say('a planted session before that of the operator, and alone');
    const pages: Answer[] = [];
    for (const Cookie of [`${planted}; ${own}`, `${own}; ${planted}`, planted])
      for (const path of ['/control/', '/control/keys'])
        pages.push(await ask(server.origin, path, { headers: { ...BROWSER, 'Sec-Fetch-Site': 'none', Cookie } }));
    const asMallory = pages.filter(({ text }) => text.includes('>mallory<'));

    arena.say('forms of the operator that arrive with the planted session');
    const form = readForm(await ask(server.origin, '/control/keys', { headers: { ...BROWSER, Cookie: own } }));
    const theirs = readForm(
      await ask(server.origin, '/control/keys', {
        headers: { ...BROWSER, Cookie: theirCookie },
      }),
    );
    const posts: Answer[] = [];
    for (const [Cookie, fields] of [
      [`${planted}; ${own}`, form],
      [planted, form],
      [planted, theirs],
      [`${planted}; ${own}`, theirs],
    ] as const)
      posts.push(
        await ask(server.origin, '/control/keys', {
          method: 'POST',
          headers: { ...BROWSER, ...SAME_ORIGIN, Cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ ...fields, name: 'planted', permission: 'write' }).toString(),
        }),
      );
    const { text: listed } = await ask(server.origin, '/control/keys', {
      headers: { ...BROWSER, Cookie: theirCookie },
    });
    const keys = listed.split('planted').length - 1;

    arena.say(`${COOKIES} cookies of ${COOKIE_BYTES} bytes`);
    const large = Array.from({ length: COOKIES }, (_, i) => `bomb${i}=${'x'.repeat(COOKIE_BYTES)}`).join('; ');
    const bombs: string[] = [];
    for (const path of ['/control/', '/', '/docbuild/api'])
      for (const [count, pieceBytes] of [
        [COOKIES, undefined],
        [COOKIES, 1_400],
        [8, undefined],
        [8, 1_400],
      ] as const) {
        const cookies = large.split('; ').slice(0, count).join('; ');
        const head = `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\nX-Forwarded-Proto: https\r\nAccept: text/html\r\nCookie: ${cookies}\r\nConnection: close\r\n\r\n`;
        bombs.push(await askRaw(server.origin, head, pieceBytes === undefined ? {} : { pieceBytes }));
      }
    const isCleared = (answer: string): boolean =>
      /^HTTP\/1\.1 (?:200|30\d) /.test(answer) ||
      (/\r\nClear-Site-Data: "cookies"\r\n/i.test(answer) && /cookie/i.test(answer.split('\r\n\r\n')[1] ?? ''));
    const cleared = bombs.filter(isCleared).length;
    // Nobody loses a session by a link to a long URL.
    const long = await askRaw(
      server.origin,
      `GET /?${'x'.repeat(200_000)} HTTP/1.1\r\nHost: ${HOST}\r\nCookie: ${own}\r\n\r\n`,
    );
    return [
      {
        name: 'the console never shows the account that a page has planted',
        holds: asMallory.length === 0,
        seen: `${asMallory.length} of ${pages.length} pages; ${tally(pages.map(({ status }) => status))}`,
      },
      {
        name: 'no form is carried out in the planted session',
        holds: keys === 0,
        seen: `${keys} keys created for the attacker; ${tally(posts.map(({ status }) => status))}`,
      },
      {
        name: 'too many cookies are answered with an instruction and with what removes them, or do no harm',
        holds: cleared === bombs.length,
        seen: `${cleared} of ${bombs.length}; ${tally(bombs.map((answer) => answer.slice(9, 12)))}`,
      },
      {
        name: 'a link that is too long removes no cookies',
        holds: /^HTTP\/1\.1 4\d\d /.test(long) && !/Clear-Site-Data|Set-Cookie/i.test(long),
        seen: long.split('\r\n')[0]!,
      },
      {
        name: 'a warning names the domain that authors and the console share',
        holds: /share[^\n]*example\.org/.test(server.output()),
        seen: /^.*share[^\n]*example\.org.*$/m.exec(server.output())?.[0].slice(0, 200) ?? 'none',
      },
    ];
  },
};

/** Logs in like a program, behind TLS; returns the cookies that were set. */
async function logIn(
  { origin }: AttackedServer,
  account: string,
): Promise<readonly { readonly name: string; readonly value: string }[]> {
  const { headers } = await ask(origin, '/api/user/login', {
    method: 'POST',
    headers: { ...BROWSER, ...SAME_ORIGIN, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ account, password: PASSWORD }).toString(),
  });
  return (headers['set-cookie'] ?? []).map((line) => {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    return { name: name!, value: value! };
  });
}

/** Returns the hidden fields that all forms of a page have. */
function readForm({ text }: Answer): Readonly<Record<string, string>> {
  const fields = text.matchAll(/<input type="hidden" name="(form|as)" value="([^"]*)">/g);
  return Object.fromEntries([...fields].map(([, name, value]) => [name!, value!]));
}
