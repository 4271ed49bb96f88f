import { type Phrase, phrase } from '../../lib/phrase.ts';
import { MAX_KEYS } from '../accounts/api-keys.ts';
import { MAX_SESSIONS } from '../accounts/sessions.ts';
import { MAX_WAITING } from '../builds/queue/build-queue.ts';
import { LOG_READERS_EACH, WRONG_SIGNATURES } from '../config/limit-settings.ts';
import { QUOTA_RULES } from '../quotas/grant.ts';

/** A limit as operators are shown it. */
export interface LimitRow {
  /** Named by refusals, as `limit` of a ServiceError; `METHOD /path` where nothing more is said. */
  readonly name: string;
  readonly group: Phrase;
  /** The limited requests, their callers and the time. */
  readonly title: Phrase;
  /** The key of the configuration that sets it, or what it is where nothing does. */
  readonly value: { readonly key: string } | { readonly fixed: number };
}

const LOGINS = phrase`Logins and accounts`;
const BUILDS = phrase`Builds`;
const INCLUSION = phrase`Inclusion queries`;
const UTILITIES = phrase`Utilities`;
const SHORT_URLS = phrase`Short URLs`;
const DOCUMENTATION = phrase`Documentation`;
const ADDRESSES = phrase`Addresses`;

const set = (name: string, group: Phrase, title: Phrase, key: string): LimitRow => ({
  name,
  group,
  title,
  value: { key },
});
const fix = (name: string, group: Phrase, title: Phrase, fixed: number): LimitRow => ({
  name,
  group,
  title,
  value: { fixed },
});

/**
 * All limits of rates and of work at once. A row is all that the page of the console, the command and the API of operations need;
 * those of one `name` share what is known of refusals, which is shown with the first. What is refused under a name that has no
 * row is shown, too, without a value.
 */
export const LIMIT_TABLE: readonly LimitRow[] = [
  set(
    'logins',
    LOGINS,
    phrase`Wrong passwords for an account, before each attempt has to wait`,
    'limits.logins_per_account',
  ),
  set(
    'logins',
    LOGINS,
    phrase`Wrong passwords from an address, before each attempt has to wait`,
    'limits.logins_per_address',
  ),
  set(
    'logins',
    LOGINS,
    phrase`Wrong passwords from a network, before each attempt has to wait`,
    'limits.logins_per_network',
  ),
  set(
    'registrations',
    LOGINS,
    phrase`Accounts created from an address, before it has to wait`,
    'limits.registrations_per_address',
  ),
  set('changes', LOGINS, phrase`Changes of own keys and short URLs, a user and minute`, 'limits.changes_per_minute'),
  fix('keys', LOGINS, phrase`API keys of a user`, MAX_KEYS),
  fix('sessions', LOGINS, phrase`Sessions of a user`, MAX_SESSIONS),
  set(
    'builds.running',
    BUILDS,
    phrase`Builds at once, however long (empty: one less than the cores)`,
    'builds.concurrency',
  ),
  set('builds.quick', BUILDS, phrase`Further builds at once that are quick`, 'builds.quick'),
  set('builds.quick', BUILDS, phrase`Seconds that a quick build takes at most`, 'builds.quick_s'),
  fix('builds.waiting', BUILDS, phrase`Builds of a project that wait`, MAX_WAITING),
  set(
    'builds.schedule',
    BUILDS,
    phrase`Minutes between two scheduled builds of a project, at least`,
    'builds.schedule_minutes',
  ),
  set(
    'builds.poll',
    BUILDS,
    phrase`Minutes between two comparisons of a project with its repository (0: none)`,
    'builds.poll_minutes',
  ),
  set('builds.time', BUILDS, phrase`Seconds that a build takes, unless its project says otherwise`, 'builds.timeout_s'),
  fix(
    'signatures',
    BUILDS,
    phrase`Wrong signatures and webhook secrets from an address, a minute`,
    WRONG_SIGNATURES.perSource,
  ),
  fix(
    'signatures',
    BUILDS,
    phrase`Wrong signatures and webhook secrets for a project, a minute`,
    WRONG_SIGNATURES.perProject,
  ),
  fix(
    'log-readers',
    BUILDS,
    phrase`Logs that a user, or an address without an account, follows at once`,
    LOG_READERS_EACH,
  ),
  fix('inclusion', INCLUSION, phrase`Queries of an address without an account, a day`, QUOTA_RULES.anonymousPerDay),
  fix('inclusion', INCLUSION, phrase`Queries of a user without a paid plan, a day`, QUOTA_RULES.freePerDay),
  fix('inclusion', INCLUSION, phrase`Queries of a user who pays one by one, a minute`, QUOTA_RULES.creditsPerMinute),
  set(
    'requests.inclusion',
    INCLUSION,
    phrase`Queries of an address, a minute, whatever its quota`,
    'utility.requests_per_minute.inclusion',
  ),
  set('inclusion.alpha', INCLUSION, phrase`Queries that engine Alpha gets at once`, 'utility.alpha.concurrency'),
  set('inclusion.beta', INCLUSION, phrase`Queries that engine Beta gets at once`, 'utility.beta.concurrency'),
  set(
    'requests.image',
    UTILITIES,
    phrase`Requests for the daily image of an address, a minute`,
    'utility.requests_per_minute.image',
  ),
  set('requests.ip', UTILITIES, phrase`IP lookups of an address, a minute`, 'utility.requests_per_minute.ip'),
  set(
    'requests.crontab',
    UTILITIES,
    phrase`Previews of crontabs of an address, a minute`,
    'utility.requests_per_minute.crontab',
  ),
  set('short-urls', SHORT_URLS, phrase`New short URLs of a user in 24 hours`, 'utility.short_url.per_day'),
  set(
    'reductions',
    SHORT_URLS,
    phrase`Reductions from an address, a minute`,
    'utility.short_url.reductions_per_minute',
  ),
  set(
    'unknown-codes',
    SHORT_URLS,
    phrase`Codes that do not exist, asked for from an address, a minute`,
    'utility.short_url.unknown_per_minute',
  ),
  set('mcp', DOCUMENTATION, phrase`MCP requests of an address, a minute`, 'limits.mcp_per_minute'),
  set('blocks', ADDRESSES, phrase`Refused calls in a minute that block an address`, 'limits.refused_per_minute'),
  set('blocks', ADDRESSES, phrase`Minutes for which it is blocked`, 'limits.block_minutes'),
];
