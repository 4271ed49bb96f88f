import { readFileSync } from 'node:fs';
import type { Context } from 'koa';
import nunjucks from 'nunjucks';
import type { Build } from '../../data/records/build.ts';
import { memoize } from '../../lib/bounded-map.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { escapeHtml } from '../../lib/html-text.ts';
import { packageFile } from '../../lib/package-file.ts';
import { fillPhrase, Phrase, type PhraseValues, phrase } from '../../lib/phrase.ts';
import { readableHost } from '../../lib/url-text.ts';
import { readActor } from '../../platform/audit/audit.ts';
import { readBuildReason } from '../../platform/builds/build-reasons.ts';
import { hasPages } from '../../platform/config/service-paths.ts';
import { type FailureShape, sendFailure } from './errors.ts';
import { getWords, LANGUAGES, type Language, type Reader, readerOf } from './language.ts';

const { SafeString } = nunjucks.runtime;

/** Headers of pages for people, which show text from repositories at the service's origin. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
};

/** Sends a page from a template of `templates/console/` to whoever asks for it. */
export function sendPage(ctx: Context, template: string, model: object): void {
  ctx.type = 'html';
  ctx.set(PAGE_HEADERS);
  ctx.set('Cache-Control', 'no-cache');
  ctx.body = renderPage(template, model, readerOf(ctx));
}

/** Failures where people read pages are pages for browsers; programs get JSON. */
export const pageFailures: FailureShape = {
  covers: hasPages,
  present(ctx, failure) {
    ctx.vary('Accept');
    if (ctx.accepts('json', 'html') !== 'html') {
      sendFailure(ctx, failure);
      return;
    }
    sendPage(ctx, 'error.njk', failure);
    ctx.set('Cache-Control', 'no-store');
  },
};

/** Renders a template of `templates/console/`. In it, `t('English words')` translates; see CONTRIBUTING.md. */
export function renderPage(template: string, model: object, { language, timeZone, path }: Reader): string {
  return environments(JSON.stringify([language, timeZone])).render(template, { ...model, pagePath: path });
}

const folder = packageFile('templates/console/');
const MAX_ENVIRONMENTS = 20;

/** Macros see nothing of the page that uses them, so what depends on the reader belongs to the environment. */
const environments = memoize((key) => {
  const [language, timeZone] = JSON.parse(key) as readonly [Language, string];
  const environment = new nunjucks.Environment(
    {
      getSource: (name: string) => ({ src: readFileSync(new URL(name, folder), 'utf8'), path: name, noCache: false }),
    } as nunjucks.ILoader,
    { autoescape: true, throwOnUndefined: true, trimBlocks: true, lstripBlocks: true },
  );
  environment.addGlobal('t', (text: string | Phrase, values: PhraseValues = {}) =>
    text instanceof Phrase ? renderPhrase(text, language) : renderPhrase(new Phrase(text, values), language),
  );
  environment.addGlobal('language', language);
  const others = Object.entries(LANGUAGES).filter(([tag]) => tag !== language);
  environment.addGlobal(
    'otherLanguages',
    others.map(([tag, name]) => ({ tag, name })),
  );
  const formatTime = createTimeFormat(timeZone);
  environment.addFilter('time', (iso: string, isExact = false) => new SafeString(formatTime(iso, isExact)));
  // `https://xn--bcher-kva.example/ | readable` → ` (<bdi>bücher.example</bdi>)`
  environment.addFilter('readable', (text: string) => {
    const host = readableHost(text);
    return new SafeString(host && ` (<bdi>${escapeHtml(host)}</bdi>)`);
  });
  // `'queued' | word` → the status in the reader's language
  environment.addFilter('word', (word: string) => {
    const known = WORDS.get(word);
    return known ? renderPhrase(known, language) : word;
  });
  // `build | cause` → who requested it
  environment.addFilter('cause', ({ cause, isScheduled }: Pick<Build, 'cause' | 'isScheduled'>) =>
    renderPhrase(WORDS.get(isScheduled ? 'schedule' : cause)!, language),
  );
  // `one.durationMs | duration` → 1 min 5 s
  environment.addFilter('duration', (ms: number) => renderPhrase(wordDuration(ms), language));
  // `project.bytes | size` → 1.2 MB
  environment.addFilter('size', formatBytes);
  // `entry.by | actor` → who did it: an account as it is, what programs name in the reader's language
  environment.addFilter('actor', (name: string) => {
    const known = readActor(name);
    return known instanceof Phrase ? renderPhrase(known, language) : known;
  });
  // `build.reason | reason` → why it ended as it did; what is no phrase of ours is English
  environment.addFilter('reason', (reason: string) => {
    const known = readBuildReason(reason);
    return known ? renderPhrase(known, language) : new SafeString(`<span lang="en">${escapeHtml(reason)}</span>`);
  });
  return environment;
}, MAX_ENVIRONMENTS);

/** Words of programs that are shown to people. */
const WORDS: ReadonlyMap<string, Phrase> = new Map([
  // States of builds and versions.
  ['queued', phrase`queued`],
  ['running', phrase`running`],
  ['passing', phrase`passing`],
  ['failing', phrase`failing`],
  ['cancelled', phrase`cancelled`],
  ['superseded', phrase`superseded`],
  ['interrupted', phrase`interrupted`],
  ['unknown', phrase`unknown`],
  // Causes of builds.
  ['command', phrase`command`],
  ['console', phrase`console`],
  ['api', phrase`API`],
  ['webhook', phrase`webhook`],
  ['restart', phrase`restart`],
  ['start', phrase`start`],
  ['schedule', phrase`schedule`],
  ['poll', phrase`comparison`],
  // Places of parameters.
  ['path', phrase`path`],
  ['query', phrase`query`],
  ['header', phrase`header`],
  ['cookie', phrase`cookie`],
  ['body', phrase`body`],
]);

/** Returns how long something took, with two units at most. */
function wordDuration(ms: number): Phrase {
  if (ms < 1_000) return phrase`${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return phrase`${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return phrase`${minutes} min ${seconds % 60} s`;
  return phrase`${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns a phrase in a language as HTML: values are escaped unless a macro or filter made them, words in backquotes are code. */
function renderPhrase(text: Phrase, language: Language): nunjucks.runtime.SafeString {
  let isCode = false;
  const html = fillPhrase(getWords(text, language), text.values, {
    words: (words) =>
      escapeHtml(words).replace(/`/g, () => {
        isCode = !isCode;
        return isCode ? '<code>' : '</code>';
      }),
    value: (value) => {
      if (value instanceof Phrase) return renderPhrase(value, language).toString();
      return value instanceof SafeString ? value.toString() : escapeHtml(String(value));
    },
  });
  return new SafeString(html);
}

/**
 * Creates a function that returns a time, in ISO 8601, as HTML in an IANA time zone, which it names:
 * `<time datetime="2026-05-04T03:02:01.123Z">2026-05-04 11:02 UTC+8</time>`. This is how pages show times.
 */
function createTimeFormat(timeZone: string): (iso: string, isExact: boolean) => string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (iso, isExact) => {
    const part = new Map(format.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]));
    const day = `${part.get('year')}-${part.get('month')}-${part.get('day')}`;
    const time = `${part.get('hour')}:${part.get('minute')}${isExact ? `:${part.get('second')}` : ''}`;
    const zone = part.get('timeZoneName')!.replace(/^GMT(?:\+0)?/, 'UTC');
    return `<time datetime="${escapeHtml(iso)}">${day} ${time} ${zone}</time>`;
  };
}
