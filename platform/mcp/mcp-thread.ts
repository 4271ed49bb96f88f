import { Worker } from 'node:worker_threads';
import { DataError } from '../../data/data-error.ts';
import { createFairSemaphore } from '../../lib/fair-semaphore.ts';
import { packageFile } from '../../lib/package-file.ts';
import { phrase } from '../../lib/phrase.ts';
import { ServiceError } from '../failures/service-error.ts';
import type { SiteSource } from './documented-sites.ts';
import type { FromThread, ToThread } from './mcp-worker.ts';

/** A request of an MCP client to a site. */
export interface McpRequest {
  readonly site: SiteSource & { readonly title: string };
  /** The address by which the caller is counted. */
  readonly source: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer over HTTP; without a type there is no body. */
export interface McpAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Answers requests of MCP clients. */
export interface McpThread {
  /** Throws ServiceError `overloaded` where that takes too long, and `too-many-waiting` where the source has too many under way. */
  answer(request: McpRequest): Promise<McpAnswer>;
}

/** Requests that the thread works on; most wait for files meanwhile. */
const AT_ONCE = 4;
const MAX_WAITING = 100;
const MAX_WAITING_EACH = 10;
/** How long a request waits for its turn and for its answer, ms. */
const TIMEOUT_MS = 15_000;
/** A thread that nobody asks gives its memory back. */
const IDLE_MS = 300_000;
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };
const BUSY = { headers: { 'Retry-After': '5' } };

interface UnderWay {
  readonly site: SiteSource;
  readonly resolve: (answer: McpAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Creates what answers MCP requests on a thread of its own, which begins with the first one: opening the search index of a large site
 * takes a second, and pages of sites do not wait for that. A request that does not end takes the thread with it, and the next one
 * begins another.
 */
export function createMcpThread({
  onError,
  timeoutMs = TIMEOUT_MS,
}: {
  readonly onError: (error: unknown) => void;
  readonly timeoutMs?: number;
}): McpThread {
  const semaphore = createFairSemaphore({
    permits: AT_ONCE,
    maxWaiting: MAX_WAITING,
    maxWaitingEach: MAX_WAITING_EACH,
  });
  let thread: Worker | undefined;
  let underWay = new Map<number, UnderWay>();
  let lastRequest = 0;
  let idle: NodeJS.Timeout | undefined;

  const end = (reason: string): void => {
    const lost = [...underWay.values()];
    underWay = new Map();
    const ended = thread;
    thread = undefined;
    void ended?.terminate();
    for (const { reject } of lost) reject(overloaded(reason));
  };
  const start = (): Worker => {
    const worker = new Worker(packageFile('dist/mcp-worker.js'), { resourceLimits: LIMITS });
    worker.on('message', (message: FromThread) => {
      if (worker === thread) take(worker, message);
    });
    worker.on('error', (error) => {
      onError(error);
      if (worker === thread) end('failed');
    });
    worker.on('exit', () => {
      if (worker === thread) end('ended');
    });
    // Not before: whoever listens to it holds it.
    worker.unref();
    return worker;
  };
  const take = (worker: Worker, message: FromThread): void => {
    if (message.kind === 'problem') onError(new Error(`MCP: ${message.message}`));
    else if (message.kind === 'read') void sendFile(worker, message);
    else underWay.get(message.id)?.resolve(message);
  };
  const sendFile = async (worker: Worker, { id, request, path }: FromThread & { kind: 'read' }): Promise<void> => {
    const send = (message: ToThread): void => worker.postMessage(message);
    try {
      send({ kind: 'file', id, bytes: await underWay.get(request)?.site.read(path) });
    } catch (error) {
      const isKnown = error instanceof DataError;
      if (!isKnown) onError(error);
      send({
        kind: 'no-file',
        id,
        code: isKnown ? error.code : 'busy',
        message: isKnown ? error.message : 'The site cannot be read at the moment; try again later',
      });
    }
  };
  const exchange = (request: McpRequest): Promise<McpAnswer> => {
    const id = ++lastRequest;
    const worker = thread ?? start();
    thread = worker;
    return new Promise<McpAnswer>((resolve, reject) => {
      const { site, headers, body } = request;
      underWay.set(id, { site, resolve, reject });
      const { key, url, title } = site;
      worker.postMessage({ kind: 'request', id, site: { key, url, title }, headers, body } satisfies ToThread);
    }).finally(() => underWay.delete(id));
  };

  return {
    async answer(request) {
      const permit = await semaphore.acquire({ lane: '', owner: request.source }, timeoutMs);
      if ('refusal' in permit) {
        if (permit.refusal !== 'greedy') throw overloaded(`waited, ${permit.refusal}`);
        throw new ServiceError('too-many-waiting', phrase`Too many requests at once; try again in a moment`, BUSY);
      }
      clearTimeout(idle);
      const late = setTimeout(() => end(`did not answer within ${timeoutMs} ms`), timeoutMs);
      try {
        return await exchange(request);
      } finally {
        clearTimeout(late);
        permit.release();
        idle = setTimeout(() => underWay.size === 0 && end('is idle'), IDLE_MS).unref();
      }
    },
  };
}

function overloaded(reason: string): ServiceError {
  const cause = new Error(`The thread for MCP ${reason}`);
  return new ServiceError('overloaded', phrase`Too many requests at once; try again in a moment`, { ...BUSY, cause });
}
