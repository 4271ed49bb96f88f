import { hash } from 'node:crypto';
import createMarkdownIt, { type MarkdownIt } from 'markdown-it';
import { escapeHtml } from '../../lib/html-text.ts';
import type { MadeFile, VersionFiles } from '../extension.ts';
import type { DataExtension } from './data-extension.ts';

export interface ChangelogSettings {
  readonly file: string;
  /** Of the page, without its ending, below the folder of the documentation. */
  readonly path: string;
  /** Text of the link to the feed. */
  readonly feed: string;
}

/** A page of the project's change log, with an Atom feed of its releases: `extensions: {changelog: {}}`. */
export const CHANGELOG: DataExtension<ChangelogSettings> = {
  check: ({ z, text, path }) =>
    z.strictObject({
      file: path.default('CHANGELOG.md'),
      path: path.default('changelog'),
      feed: text.default('Feed of releases'),
    }),
  create: (settings, name) => ({ name, pages: (version) => makeChangelog(settings, version) }),
};

/** A release in the file. */
interface Release {
  readonly title: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly text: string;
}

const MAX_RELEASES = 50;

async function makeChangelog(
  { file, path: shown, feed }: ChangelogSettings,
  version: VersionFiles,
): Promise<readonly MadeFile[]> {
  const text = await version.read(file);
  // A version from before the project had one lacks nothing.
  if (text === undefined) return [];
  const path = shown.replace(/\.md$/, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  const releases = listReleases(text);
  if (releases.length === 0) {
    const message = 'There is no feed of releases: none has a heading with a date, such as "## 1.2.0 (2026-05-04)"';
    version.report({ file, line: 0, message });
    return [{ path: `${path}.md`, text, from: file }];
  }
  return [
    {
      path: `${path}.md`,
      text: addLink(text, `[${feed.replace(/[[\]\\]/g, '\\$&')}](${encodeURIComponent(name)}.xml)`),
      from: file,
    },
    { path: `${path}.xml`, text: writeFeed(titleOf(text), releases, `${encodeURIComponent(name)}.html`), from: file },
  ];
}

/** Below the title, or at the top. */
function addLink(text: string, link: string): string {
  const [, front = '', rest = ''] =
    /^(\s*(?:---\n[\s\S]*?\n---\n\s*)?(?:# [^\n]*\n|[^\n#][^\n]*\n=+\n)?)([\s\S]*)/.exec(text) ?? [];
  return `${front}\n${link}\n\n${rest}`;
}

function titleOf(text: string): string {
  return withoutHashes(/^# +(\S.*)$/m.exec(text)?.[1] ?? 'Changelog');
}

/** Removes the hashes that may close a heading. */
function withoutHashes(heading: string): string {
  return heading.trimEnd().replace(/(?<![ \t])[ \t]+#+$/, '');
}

const HEADING = /^(#{1,3})[ \t]+(\S.*)$/;
const DATE = /(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/;

/** Lists what stands below headings with a date: "## [1.2.0] - 2026-05-04", "## 1.2.0 (2026-05-04)". */
function listReleases(text: string): readonly Release[] {
  const releases: { title: string; date: string; text: string; level: number }[] = [];
  let open: (typeof releases)[number] | undefined;
  let fence = '';
  for (const line of text.split('\n')) {
    const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== '' && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    const heading = fence === '' ? HEADING.exec(line) : null;
    if (heading && (open === undefined || heading[1]!.length <= open.level || DATE.test(heading[2]!))) {
      const date = DATE.exec(heading[2]!)?.[0];
      const isReal = date !== undefined && isDay(date);
      open = isReal
        ? { title: plain(withoutHashes(heading[2]!)), date, text: '', level: heading[1]!.length }
        : undefined;
      if (open) releases.push(open);
    } else if (open) open.text += `${line}\n`;
  }
  return releases.sort((a, b) => (a.date > b.date ? -1 : Number(a.date < b.date)));
}

/** `Date` reads the 30th of February as a day of March. */
function isDay(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}

/** Returns a heading without its date and its marks: "[1.2.0] - 2026-05-04" is "1.2.0". */
function plain(heading: string): string {
  const text = heading.replace(/\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])?/g, '$1').replace(/[*`_]/g, '');
  return text.replace(/(?<!\s)\s*(?:[-–—:,]\s*)?[([]?\d{4}-\d\d-\d\d[)\]]?\s*/, ' ').trim() || text.trim();
}

let renderer: MarkdownIt | undefined;

/** Addresses count from the page; no version is named, so that versions share the feed. */
function writeFeed(title: string, releases: readonly Release[], page: string): string {
  // The first release tells projects apart, and does not change any more.
  const origin = JSON.stringify([title, releases.at(-1)]);
  const ids = createIds(origin, releases);
  const entries = releases.slice(0, MAX_RELEASES).map(
    (release) => `<entry><title>${write(release.title)}</title><id>${ids.get(release)!}</id>
<link rel="alternate" type="text/html" href="${write(page)}"/><updated>${release.date}T00:00:00Z</updated>
<content type="html">${write(renderText(release.text))}</content></entry>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${write(title)}</title>
<id>${createId(origin)}</id>
<link rel="alternate" type="text/html" href="${write(page)}"/>
<updated>${releases[0]!.date}T00:00:00Z</updated>
<author><name>${write(title)}</name></author>
${entries.join('\n')}
</feed>
`;
}

/** Counts equal titles from the oldest, so that a new release changes no id. */
function createIds(origin: string, releases: readonly Release[]): ReadonlyMap<Release, string> {
  const counts = new Map<string, number>();
  return new Map(
    releases.toReversed().map((release) => {
      const count = (counts.get(release.title) ?? 0) + 1;
      counts.set(release.title, count);
      return [release, createId(origin, release.title, ...(count > 1 ? [String(count)] : []))] as const;
    }),
  );
}

/** Returns an id that a release has for ever (RFC 9562, version 8). */
function createId(...parts: readonly string[]): string {
  const digits = hash('sha1', JSON.stringify(parts), 'hex');
  return `urn:uuid:${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** Characters that XML cannot hold. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function write(text: string): string {
  return escapeHtml(text.replace(FORBIDDEN, ''));
}

/** Returns the HTML of a release; relative links would lead elsewhere from the feed, so their texts stay. */
function renderText(text: string): string {
  renderer ??= createPlainRenderer();
  return String(renderer.render(text.slice(0, 50_000)));
}

function createPlainRenderer(): MarkdownIt {
  const md = new createMarkdownIt({ html: false, linkify: true });
  md.core.ruler.push('absolute_links', ({ tokens }) => {
    for (const { children } of tokens) {
      let isLeftOut = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') isLeftOut = !/^(?:https?|mailto):/i.test(String(token.attrGet('href')));
        if (isLeftOut && (token.type === 'link_open' || token.type === 'link_close')) token.tag = 'span';
        if (isLeftOut && token.type === 'link_open') token.attrs = null;
        if (token.type === 'image' && !/^https?:/i.test(String(token.attrGet('src')))) token.type = 'text';
      }
    }
  });
  return md;
}
