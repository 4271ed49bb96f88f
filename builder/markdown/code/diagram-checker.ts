import { Worker } from 'node:worker_threads';

/** A mistake in a diagram; `line` is that of the text, from 1, if it is known. */
export interface DiagramProblem {
  readonly line: number | undefined;
  readonly message: string;
}

/** Parses diagrams without drawing them. */
export interface DiagramChecker {
  check(text: string): Promise<DiagramProblem | undefined>;
  /** Ends the worker after the diagrams that wait; another one starts with the next. */
  rest(): void;
  close(): Promise<void>;
}

/** The worker's verdict on a text: no problem if it is a diagram. */
export interface DiagramAnswer {
  readonly message?: string;
  readonly line?: number | undefined;
}

/** Mermaid draws no longer ones; they are not parsed. */
export const MAX_DIAGRAM_LENGTH = 50_000;
/** A parser that takes longer is stopped. Diagrams take milliseconds, the largest that are parsed 3 s; a busy machine is slower. */
const MAX_MS = 30_000;
/** After so many that were stopped, a build parses no more. */
const MAX_ENDLESS = 3;
const MAX_HEAP_MB = 256;

/** Creates the checker of one build, whose worker starts with the first diagram. */
export function createDiagramChecker({
  workerUrl,
  scriptUrl,
  maxMs = MAX_MS,
}: {
  readonly workerUrl: URL;
  readonly scriptUrl: URL;
  readonly maxMs?: number;
}): DiagramChecker {
  let worker: Worker | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let endless = 0;
  return {
    check(text) {
      if (text.length > MAX_DIAGRAM_LENGTH) {
        return Promise.resolve({ line: undefined, message: `it is longer than ${MAX_DIAGRAM_LENGTH} characters` });
      }
      const checked = turn.then(async () => (endless < MAX_ENDLESS ? describe(text, await ask(text)) : undefined));
      turn = checked;
      return checked;
    },
    rest() {
      turn = turn.then(stop);
    },
    async close() {
      await turn;
      await stop();
    },
  };

  /** The parser of a hostile text may not end, or take all memory; the next text gets a new worker. */
  async function ask(text: string): Promise<DiagramAnswer> {
    worker ??= startWorker();
    const asked = worker;
    const answer = await new Promise<DiagramAnswer>((resolve) => {
      const timer = setTimeout(() => {
        endless++;
        resolve({ message: 'its parser does not end' });
      }, maxMs);
      const finish = (given: DiagramAnswer): void => {
        clearTimeout(timer);
        resolve(given);
      };
      asked.once('message', finish);
      asked.once('error', (error) => finish({ message: `its parser failed: ${error.message}` }));
      asked.postMessage(text);
    });
    asked.removeAllListeners('message').removeAllListeners('error');
    if (/^its parser/.test(answer.message ?? '')) await stop();
    return answer;
  }

  function startWorker(): Worker {
    return new Worker(workerUrl, {
      workerData: scriptUrl.href,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
  }

  async function stop(): Promise<void> {
    const stopped = worker;
    worker = undefined;
    await stopped?.terminate();
  }
}

const MAX_MESSAGE = 200;

function describe(text: string, { message, line }: DiagramAnswer): DiagramProblem | undefined {
  if (message === undefined) return undefined;
  if (message.startsWith('No diagram type detected')) {
    const name = /^\s*(?:%%.*\n\s*)*(\S+)/.exec(removeFrontMatter(text))?.[1] ?? '';
    return { line: undefined, message: `Mermaid knows no type "${name.slice(0, 50)}"` };
  }
  // "Parsing failed:  Parse error on line 2, column 6: Expecting …" or "Parse error on line 2:\n<source>\n<mark>\nExpecting …".
  const named = /(?:Lexical|Lexer|Parse) error on line (\d+)/.exec(message)?.[1];
  const reason = message
    .replace(/^(?:Parsing failed:\s*)?(?:Lexical|Lexer|Parse) error on line \d+(?:, column \d+)?[:.]\s*/, '')
    .replace(/^[^\n]*\n-*\^\n?/, '');
  const first = reason.split('\n')[0]!.trim();
  const said = first === '' ? 'its text ends or goes on in an unexpected place' : first;
  // Mermaid counts lines without front matter and comments.
  const isShifted = /^\s*---|%%/.test(text);
  const found = line ?? (named === undefined ? undefined : Number(named));
  return {
    line: isShifted || found === undefined ? undefined : Math.min(found, text.split('\n').length),
    message: said.length > MAX_MESSAGE ? `${said.slice(0, MAX_MESSAGE)}…` : said,
  };
}

function removeFrontMatter(text: string): string {
  return text.replace(/^\s*---\n.*?\n---\n/s, '');
}
