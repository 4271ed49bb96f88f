import { BuildError, type BuildErrorCode } from '../../build-error.ts';

/** What a page may become, in characters of HTML; the addresses of its links count, too. */
const MAX_HTML_CHARACTERS = 20_000_000;
/** Elements and runs of text. A million of them take 250 MB while the page is rendered. */
const MAX_TOKENS = 1_000_000;
/** Work, in units of about 10 ns. Text of the allowed size that is meant to be read takes a tenth of it. */
const MAX_WORK = 300_000_000;
/** For what no count foresees: so long by the clock, then so much of this process's time, so that a busy machine does not decide. */
const MAX_MS = 3_000;
const MAX_BUSY_MS = 2_000;
const CLOCK_INTERVAL = 1_024;

/** What the rendering of one page has cost so far. A page that is over a limit throws `page-limit` with its line, or `page-too-slow` where the clock decided. */
export interface PageCosts {
  readonly startMs: number;
  /** What the process had used when the clock ran out. */
  usage: NodeJS.CpuUsage | undefined;
  /** Number of the text's first line in the page's file. */
  readonly firstLine: number;
  /** Tokens of all texts that have been read. */
  tokens: number;
  work: number;
  untilClock: number;
  /** Characters that will stand in the page's HTML once its slots are filled. */
  characters: number;
  /** The line being read, from 0. */
  line: number;
}

/** Creates the account of a page that is about to be rendered. */
export function createPageCosts(firstLine: number): PageCosts {
  return {
    startMs: performance.now(),
    usage: undefined,
    firstLine,
    tokens: 0,
    work: 0,
    untilClock: CLOCK_INTERVAL,
    characters: 0,
    line: 0,
  };
}

/** Compares the tokens made so far, those of the text being read added, with what they may be. */
export function checkTokens(costs: PageCosts, more: number): void {
  if (costs.tokens + more <= MAX_TOKENS) return;
  throw refuse(costs, `has more than ${MAX_TOKENS.toLocaleString('en')} elements; split it into several pages`);
}

/** Counts work, in units of about 10 ns. */
export function spendWork(costs: PageCosts, units: number): void {
  costs.work += units;
  const isDue = --costs.untilClock === 0;
  if (isDue) costs.untilClock = CLOCK_INTERVAL;
  const what = 'takes too long to render; simplify this part, or split the page';
  if (costs.work > MAX_WORK) throw refuse(costs, what);
  if (isDue && isOverTime(costs)) throw refuse(costs, what, 'page-too-slow');
}

function isOverTime(costs: PageCosts): boolean {
  if (performance.now() - costs.startMs <= MAX_MS) return false;
  costs.usage ??= process.cpuUsage();
  const { user, system } = process.cpuUsage(costs.usage);
  return (user + system) / 1_000 > MAX_BUSY_MS;
}

/** Counts characters that a slot will bring into the page. */
export function spendCharacters(costs: PageCosts, count: number): void {
  costs.characters += count;
  checkHtml(costs, costs.characters);
}

/** Compares the length of a page's HTML with what it may be. */
export function checkHtml(costs: PageCosts, characters: number): void {
  if (characters <= MAX_HTML_CHARACTERS) return;
  const limit = `${MAX_HTML_CHARACTERS / 1_000_000} MB`;
  throw refuse(costs, `becomes more than ${limit} of HTML; split it into several pages`);
}

function refuse({ firstLine, line }: PageCosts, what: string, code: BuildErrorCode = 'page-limit'): BuildError {
  return new BuildError(code, `The page ${what}`, { location: { line: firstLine + line } });
}
