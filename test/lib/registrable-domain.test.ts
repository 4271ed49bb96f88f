import test from 'ava';
import { findRegistrableDomain } from '../../lib/registrable-domain.ts';

test('findRegistrableDomain() is what all hosts of a domain can set cookies for', (t) => {
  for (const [host, domain] of [
    ['example.org', 'example.org'],
    ['a.b.example.org', 'example.org'],
    ['a.example.co.uk', 'example.co.uk'],
    ['you.github.io', 'you.github.io'],
    ['wiki.docs.corp', 'docs.corp'],
    ['a.xn--fiqs8s', 'a.xn--fiqs8s'],
  ] as const) {
    t.is(findRegistrableDomain(host), domain, host);
  }
  for (const host of ['localhost', '127.0.0.1', '::1', 'org', 'co.uk', 'github.io', ''])
    t.is(findRegistrableDomain(host), undefined, host);
});
