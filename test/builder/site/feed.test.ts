import test from 'ava';
import { buildFeed } from '../../../builder/site/feed.ts';

const feed = {
  siteTitle: 'A & B',
  title: 'Changes',
  tag: 'en',
  url: 'https://docs.example.org/_docbuild/changes/en.xml',
  page: 'https://docs.example.org/_docbuild/changes/en.html',
};

test('buildFeed() writes what Atom asks for', (t) => {
  const url = 'https://docs.example.org/_docbuild/changes/en/v1.1.html';
  const xml = buildFeed({
    ...feed,
    entries: [{ title: 'v1.1', url, time: 1_700_000_000, content: '<p>1 &lt; 2</p>' }],
  });
  t.true(
    xml.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">'),
  );
  t.true(xml.includes('<title>A &amp; B: Changes</title>'));
  t.true(xml.includes('<updated>2023-11-14T22:13:20Z</updated>'));
  t.true(xml.includes(`<id>${url}</id>`));
  t.true(xml.includes('<content type="html">&lt;p&gt;1 &amp;lt; 2&lt;/p&gt;</content>'));
});

test('buildFeed() writes no character that XML does not have, and times that are times', (t) => {
  const entries = [{ title: 'a\u0000\u001b\ud800b\u{1f600}', url: 'https://a/?b&c', time: 1e15, content: '' }];
  const xml = buildFeed({ ...feed, entries });
  t.true(xml.includes('<title>ab\u{1f600}</title>'));
  t.true(xml.includes('<id>https://a/?b&amp;c</id>'));
  t.true(xml.includes('<updated>9999-12-31T23:59:59Z</updated>'));
  t.true(buildFeed({ ...feed, entries: [] }).includes('<updated>1970-01-01T00:00:00Z</updated>'));
});
