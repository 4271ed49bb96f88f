import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { LIMIT_SETTINGS } from '../builder/index.ts';
import { DataError } from '../data/data-error.ts';
import { printFailure } from './print-failure.ts';
import { addCommonOptions, type CommonFlags, printResult } from './run-command.ts';
import { writeNewFile } from './write-file.ts';

const LIMITS = Object.values(LIMIT_SETTINGS)
  .map(({ key, usual }) => `  ${key}: ${usual}`)
  .join('\n');

/** The search engines that inclusion queries are made for. */
const ENGINES = { alpha: 'https://www.baidu.com', beta: 'https://www.bing.com' } as const;

/** Returns the configuration that is written: every key, with its default; search engines are set only where they may be asked. */
export function createTemplate({ mayAskEngines }: { readonly mayAskEngines: boolean }): string {
  const engine = (url: string): string =>
    mayAskEngines ? `base_url: ${url}` : `base_url:                    # ${url}`;
  return `# Configuration of docbuild. Every key is optional; "docbuild cfg" shows the values in effect.
base_dir: ./.docbuild            # store/, cache/, sites/, logs/, hooks/
store:                           # postgres://user@host/database; default: JSON files below base_dir
sites:                           # folder, or s3://bucket?endpoint=https://s3.example.org; default: sites/ below base_dir
timezone: UTC
api:
  host: 127.0.0.1
  port: 5000
  base_url:                      # set a base URL to serve this part at a host of its own
  hub_url:
  auth_url:                      # login and console
  docs_api_url:
  server_static_url:             # URL of docbuild.js for pages, e.g. on a CDN
  trusted_proxies: 0
  never_blocked: []              # addresses and ranges that no block stops
  drain_s: 0                     # for how long a server that stops still answers, while /readyz says 503
docs:
  domain:                        # <project>.<domain> serves the project; not in the domain of auth_url and docs_api_url
metrics:
  port:                          # set to serve /metrics there, and not at the service's own address
  host: 127.0.0.1
  key:                           # asked for as "Authorization: Bearer KEY"; without it they are for this machine alone
probes:
  port:                          # set to serve /livez and /readyz there, too; the only ones of a node that builds
  host: 127.0.0.1
cdn:                             # a CDN in front of the sites, which is told what to forget after each publish
  url:                           # e.g. https://api.cloudflare.com/client/v4/zones/ZONE/purge_cache
  method: POST
  headers: {}                    # e.g. authorization: Bearer TOKEN
  body:                          # e.g. '{"tags": [{tags}]}'; default: what has changed, as JSON
  secret:                        # whsec_…, which signs the default
  again_s: 15                    # it is told once more then
  allowed: []                    # addresses and ranges the URL may lead to besides the public internet
  keep_s: 86400                  # for how long it may keep pages
  age_header: CDN-Cache-Control  # that says so
  tag_header: Cache-Tag          # that names the project
events:                          # somebody who is told of each published or removed site
  url:
  secret:                        # whsec_…, which signs them; needed with the URL
  allowed: []                    # addresses and ranges the URL may lead to besides the public internet
code_hosts:                      # what runs at hosts whose names do not tell, e.g. "git.example.org: gitlab"
notifications:
  allowed: []                    # addresses and ranges they may go to besides the public internet
builds:
  concurrency:                   # builds that run at once, however long; default: one less than the cores
  quick: 1                       # further builds, as long as each takes at most quick_s seconds
  quick_s: 5
  drain_s: 5                     # for how long a process that gets SIGTERM goes on with its builds
  schedule_minutes: 5            # least distance between two scheduled builds of a project
  poll_minutes: 60               # how often repositories are compared with what is published; 0 = never
  templates:                     # folder of templates that take the place of docbuild's own
  extensions:                    # script of extensions that all sites are built with, see docs: extensions
${LIMITS}
utility:
  alpha:                         # the search engine of AlphaIncludedQuery; without a base_url it is not asked
    ${engine(ENGINES.alpha)}
    json_query: "{base}/s?wd={query}&rn=10&pn=0&tn=json"
    html_query: "{base}/s?wd={query}"
    timeout_s: 8                 # for one request, including waiting and both methods
    concurrency: 4               # queries at the same time
  beta:                          # the search engine of BetaIncludedQuery
    ${engine(ENGINES.beta)}
    rss_query: "{base}/search?q={query}&format=rss"
    html_query: "{base}/search?q={query}"
    timeout_s: 8
    concurrency: 4
  inclusion:
    cache_days: 30               # how long "indexed" is cached
    cache_entries: 20000
  user_agent: Mozilla/5.0 (compatible; docbuild)
  requests_per_minute:           # of one address, for each utility
    inclusion: 600
    image: 600
    ip: 600
    crontab: 300
  image:
    base_url:                    # source of the daily images; without it there are none
    market: zh-CN
  ip:
    db4:                         # .xdb or .mmdb file; default: the data included in docbuild
    db6:
    lang: zh-CN                  # of names, where a database has several languages
  short_url:
    per_day: 1000                # new short URLs of a user in 24 hours
    reductions_per_minute: 120   # lookups from one address
    unknown_per_minute: 60       # codes that do not exist, asked for from one address
limits:
  logins_per_account: 10         # wrong passwords before each attempt has to wait, ever longer
  logins_per_address: 20
  logins_per_network: 60
  registrations_per_address: 5
  changes_per_minute: 60         # of own keys and short URLs, a user
  mcp_per_minute: 300            # MCP requests of an address
  refused_per_minute: 100        # refused calls that block an address
  block_minutes: 10
auth:
  registration: false            # true: anybody can create an account
  token_days: 30                 # lifetime of a session
billing:
  tiers:                         # inclusion queries a day for a price a month, the cheapest first; what was paid for stays as it was
    - {price: 15, per_day: 100}
    - {price: 30, per_day: 1000}
    - {price: 50, per_day: 10000}
  fen_per_request: 1             # price of single requests
  credit_days: 365               # how long these may be used
  contact:                       # how to pay; shown where a quota ends
github_app:
  enabled: false
  app_id:
  private_key:                   # PEM, as a block: "private_key: |" and indented lines
  webhook_secret:
  api_url:                       # default: GitHub's own
`;
}

interface InitFlags extends CommonFlags {
  readonly searchEngines?: boolean;
}

/** Adds `docbuild init`, which writes a configuration to begin with. */
export function addInitCommand(program: Command): void {
  addCommonOptions(program.command('init'))
    .description('write an initial configuration file')
    .option('--search-engines', 'let inclusion queries ask search engines (default: on a terminal it asks you)')
    .option('--no-search-engines', 'do not let them')
    .action(async (flags: InitFlags) => {
      const file = resolve(flags.config ?? 'docbuild.yml');
      try {
        const mayAskEngines = flags.searchEngines ?? (await confirmEngines(file, flags));
        writeNewFile(file, createTemplate({ mayAskEngines }), 0o600);
        printResult(flags, { file }, `Wrote ${file}`);
      } catch (cause) {
        printFailure(describeFailure(file, cause as NodeJS.ErrnoException), flags.json ?? false);
        process.exitCode = 1;
      }
    });
}

function describeFailure(file: string, cause: NodeJS.ErrnoException): DataError {
  if (cause instanceof DataError) return cause;
  if (cause.code === 'EEXIST')
    return new DataError('taken', `Configuration "${file}" already exists and was not changed`, { cause });
  return new DataError('unwritable', `Cannot write configuration "${file}": ${cause.message}`, { cause });
}

/** Asks whether search engines may be told what callers look for; where nobody can answer, or need not, they may not. */
async function confirmEngines(file: string, { json }: InitFlags): Promise<boolean> {
  if (json || existsSync(file)) return false;
  const { canAsk, confirm } = await import('./confirm.ts');
  if (!canAsk()) return false;
  const { alpha, beta } = ENGINES;
  process.stderr.write(`Inclusion queries send the URLs that callers ask for to ${alpha} and ${beta}.\n`);
  return confirm('Allow that?');
}
