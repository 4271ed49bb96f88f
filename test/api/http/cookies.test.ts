import test from 'ava';
import { parseCookies, removeCookies } from '../../../api/http/cookies.ts';

test('parseCookies() returns all cookies in their order, equal names, too', (t) => {
  const cookies = parseCookies('a=1; b=2;a=3 ; c; =x; d==y=; ');
  t.deepEqual(
    cookies.map(({ name, value }) => `${name}:${value}`),
    ['a:1', 'b:2', 'a:3', ':x', 'd:=y='],
  );
});

test('removeCookies() names each domain and path from which a cookie can have come', (t) => {
  const fields = removeCookies(['sessionId'], { host: 'docs.example.org:8443', path: '/control/keys' });
  for (const path of ['/', '/control', '/control/', '/control/keys']) {
    for (const domain of ['', '; Domain=docs.example.org', '; Domain=example.org']) {
      t.true(fields.includes(`sessionId=; Path=${path}; Max-Age=0${domain}`), `${path}${domain}`);
    }
  }
  t.is(fields.length, 12);
  for (const host of ['127.0.0.1:5000', '[::1]:5000', 'localhost', '']) {
    t.deepEqual(removeCookies(['a'], { host, path: '/' }), ['a=; Path=/; Max-Age=0'], host);
  }
});

test('removeCookies() stays small, and repeats nothing that could end a field', (t) => {
  const names = Array.from({ length: 200 }, (_, i) => `bomb${i}`);
  const path = `/${Array.from({ length: 500 }, () => 'x').join('/')}`;
  const fields = removeCookies(names, { host: 'a.b.c.d.e.example.org', path });
  t.true(fields.length > 10);
  t.true(fields.join('\r\n').length < 2_600);
  const odd = removeCookies(['a b', 'é', 'x'.repeat(300), 'a\r\nX: y', ''], { host: 'x.test', path: '/;Domain=a' });
  t.deepEqual(odd, []);
  t.deepEqual(removeCookies(['a'], { host: 'localhost', path: '/b;Domain=x' }), [
    'a=; Path=/; Max-Age=0',
    'a=; Path=/b; Max-Age=0',
  ]);
});
