import { TookTooLong } from '../../../lib/run-within.ts';
import { BuildError, type BuildErrorCode } from '../../build-error.ts';
import { ExtensionFailure, takeRunning } from '../../extension.ts';

/** Limit of a page's HTML in characters, including the URLs of its links. */
const MAX_HTML_CHARACTERS = 20_000_000;
/** Limit of elements and runs of text. A million of them take 250 MB while the page is rendered. */
const MAX_TOKENS = 1_000_000;
/** Limit of work, in units of about 10 ns. Real text of the allowed size takes a tenth of it. */
const MAX_WORK = 300_000_000;
/** Last resort for unforeseen cases: wall time, then CPU time of this process, so that a busy machine does not decide. */
const MAX_MS = 3_000;
const MAX_BUSY_MS = 4_000;
const CLOCK_INTERVAL = 1_024;

/** The cost of rendering one page so far. A page that is over a limit throws `page-limit` with its line, or `page-too-slow` where the clock decided. */
export interface PageCosts {
  readonly startMs: number;
  /** CPU usage of the process when the wall time was exceeded. */
  usage: NodeJS.CpuUsage | undefined;
  /** Number of the text's first line in the page's file. */
  readonly firstLine: number;
  tokens: number;
  work: number;
  untilClock: number;
  /** Characters of the page's HTML with its slots filled. */
  characters: number;
  /** The line being read, from 0. */
  line: number;
}

/** Creates the costs of a page that is about to be rendered. */
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

/** Checks the number of tokens, including those of the current text, against its limit. */
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

/** Counts the characters that a slot will add to the page. */
export function spendCharacters(costs: PageCosts, count: number): void {
  costs.characters += count;
  checkHtml(costs, costs.characters);
}

/** Checks the length of a page's HTML against its limit. */
export function checkHtml(costs: PageCosts, characters: number): void {
  if (characters <= MAX_HTML_CHARACTERS) return;
  const limit = `${MAX_HTML_CHARACTERS / 1_000_000} MB`;
  throw refuse(costs, `becomes more than ${limit} of HTML; split it into several pages`);
}

/** Returns the refusal of a page whose rendering ended with an error that nobody has foreseen, so that all others are published. */
export function refuseUnforeseen(costs: PageCosts, error: unknown): BuildError {
  if (error instanceof ExtensionFailure) {
    const { cause, message } = error;
    return new BuildError('extension', message, { cause, location: { line: costs.firstLine + costs.line } });
  }
  if (error instanceof TookTooLong) {
    const extension = takeRunning();
    if (extension !== undefined) {
      const message = `Extension "${extension}" takes too long at this page`;
      return new BuildError('page-too-slow', message, { location: { line: costs.firstLine + costs.line } });
    }
    return refuse(costs, 'takes too long to render; simplify what follows, or split the page', 'page-too-slow');
  }
  // V8's words for a stack that is full.
  if (error instanceof RangeError && /call stack/.test(error.message)) {
    return refuse(costs, 'is nested too deeply; simplify what follows');
  }
  const { firstLine, line } = costs;
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const message = `docbuild failed at this page; please report it with the page (${what.slice(0, 200)})`;
  return new BuildError('page-failed', message, { cause: error, location: { line: firstLine + line } });
}

function refuse({ firstLine, line }: PageCosts, what: string, code: BuildErrorCode = 'page-limit'): BuildError {
  return new BuildError(code, `The page ${what}`, { location: { line: firstLine + line } });
}
