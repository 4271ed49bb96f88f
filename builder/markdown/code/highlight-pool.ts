import { Worker } from 'node:worker_threads';
import { BuildError } from '../../build-error.ts';
import type { CodeBlock } from '../../model.ts';

/** Highlights code blocks on worker threads. */
export interface HighlightPool {
  /** Returns the block's HTML, or undefined when its language is not known. */
  highlight(block: CodeBlock): Promise<string | undefined>;
  close(): Promise<void>;
}

/** What a worker is sent and answers: blocks in, their HTML in the same order out. */
export interface HighlightRequest {
  readonly id: number;
  readonly blocks: readonly CodeBlock[];
}
export interface HighlightAnswer {
  readonly id: number;
  readonly results: readonly (string | undefined)[];
}

interface Task {
  readonly block: CodeBlock;
  readonly resolve: (html: string | undefined) => void;
  readonly reject: (error: Error) => void;
}

interface Lane {
  readonly worker: Worker;
  readonly groups: Set<string>;
  readonly running: Map<number, readonly Task[]>;
  waiting: Task[];
  /** Characters sent or waiting and not yet answered. */
  load: number;
}

const BATCH_CHARACTERS = 8_000;
const MAX_WAIT_MS = 5;
/**
 * A grammar costs about as much to compile as this many characters cost to highlight; a language goes to a second
 * worker only when its own is that far behind.
 */
const STEAL_CHARACTERS = 60_000;

/**
 * Starts up to `size` workers of `workerUrl`, each when first needed. Languages of one group stay on one worker, since
 * every thread compiles its grammars anew, unless that worker falls far behind another.
 */
export function createHighlightPool(options: {
  readonly size: number;
  readonly workerUrl: URL;
  readonly groupOf: (language: string) => string;
  readonly maxHeapMb: number;
}): HighlightPool {
  const lanes: Lane[] = [];
  let nextId = 0;
  let failure: Error | undefined;
  let timer: NodeJS.Timeout | undefined;

  return {
    highlight(block) {
      if (failure) return Promise.reject(failure);
      const lane = chooseLane(options.groupOf(block.language));
      return new Promise((resolve, reject) => {
        lane.waiting.push({ block, resolve, reject });
        lane.load += block.text.length;
        if (weigh(lane.waiting) >= BATCH_CHARACTERS) send(lane);
        else timer ??= setTimeout(flush, MAX_WAIT_MS);
      });
    },
    async close() {
      // A build that failed may still ask: a worker started for it would never end.
      failure ??= new BuildError('worker', 'The highlighting workers have been stopped');
      clearTimeout(timer);
      await Promise.all(lanes.map((lane) => lane.worker.terminate()));
    },
  };

  /** Sends what did not fill a batch. */
  function flush(): void {
    timer = undefined;
    for (const lane of lanes) send(lane);
  }

  function chooseLane(group: string): Lane {
    const holder = leastLoaded(lanes.filter((lane) => lane.groups.has(group)));
    const idlest = lanes.length < options.size ? undefined : leastLoaded(lanes);
    if (holder && holder.load - (idlest?.load ?? 0) < STEAL_CHARACTERS) return holder;
    const lane = idlest ?? startLane();
    lane.groups.add(group);
    return lane;
  }

  function startLane(): Lane {
    const worker = new Worker(options.workerUrl, { resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMb } });
    const lane: Lane = { worker, groups: new Set(), running: new Map(), waiting: [], load: 0 };
    worker.on('message', (answer: HighlightAnswer) => {
      const tasks = lane.running.get(answer.id) ?? [];
      lane.running.delete(answer.id);
      tasks.forEach((task, index) => {
        lane.load -= task.block.text.length;
        task.resolve(answer.results[index]);
      });
    });
    const fail = (error: BuildError): void => {
      failure ??= error;
      const tasks = [...[...lane.running.values()].flat(), ...lane.waiting];
      lane.running.clear();
      lane.waiting = [];
      for (const task of tasks) task.reject(failure);
    };
    worker.on('error', (error) => {
      fail(new BuildError('worker', `A highlighting worker failed: ${error.message}`, { cause: error }));
    });
    worker.on('messageerror', (error) => {
      fail(
        new BuildError('worker', `A highlighting worker sent an unreadable answer: ${error.message}`, { cause: error }),
      );
    });
    // Stopped by `close`, or by itself: nobody may wait for it any longer.
    worker.on('exit', (code) => fail(new BuildError('worker', `A highlighting worker ended with code ${code}`)));
    lanes.push(lane);
    return lane;
  }

  function send(lane: Lane): void {
    if (lane.waiting.length === 0) return;
    const id = nextId++;
    lane.running.set(id, lane.waiting);
    lane.worker.postMessage({ id, blocks: lane.waiting.map((task) => task.block) } satisfies HighlightRequest);
    lane.waiting = [];
  }
}

function leastLoaded(lanes: readonly Lane[]): Lane | undefined {
  return lanes.reduce<Lane | undefined>((best, lane) => (best && best.load <= lane.load ? best : lane), undefined);
}

function weigh(tasks: readonly Task[]): number {
  return tasks.reduce((sum, task) => sum + task.block.text.length, 0);
}
