import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { BuildError } from '../../build-error.ts';
import type { ExtensionMeter, Grammar } from '../../extension.ts';
import type { CodeBlock } from '../../model.ts';

export interface HighlightPool {
  /** Returns the block's HTML, or undefined when its language is not known. */
  highlight(block: CodeBlock): Promise<string | undefined>;
  /** Loads the grammars of these blocks before there is anything to highlight. */
  warmUp(blocks: readonly CodeBlock[]): void;
  /** Ends idle workers; others start when they are needed again. */
  rest(): void;
  /** Stops running work and keeps idle workers for the next pool of this process. */
  close(): Promise<void>;
}

/** Request and answer of a worker: blocks, and what became of them in the same order. */
export interface HighlightRequest {
  readonly id: number;
  readonly blocks: readonly CodeBlock[];
  /** A language of an extension that blocks name from now on. */
  readonly language?: Pick<OwnLanguage, 'key' | 'grammars'>;
}
export interface HighlightAnswer {
  readonly id: number;
  readonly results: readonly HighlightResult[];
}
export interface HighlightResult {
  readonly html?: string | undefined;
  /** Why a grammar of an extension failed. */
  readonly failure?: string;
  readonly ms: number;
}

/** A language of an extension. */
export interface OwnLanguage {
  /** Hash of its grammars. */
  readonly key: string;
  /** Its own is the last one; plain data. */
  readonly grammars: readonly Grammar[];
  readonly meter: ExtensionMeter;
}

interface Task {
  readonly block: CodeBlock;
  readonly resolve: (html: string | undefined) => void;
  readonly reject: (error: Error) => void;
}

interface WarmWorker {
  readonly worker: Worker;
  readonly groups: Set<string>;
  /** Identifies its code and limits. */
  readonly kind: string;
}

interface Lane extends WarmWorker {
  readonly running: Map<number, readonly Task[]>;
  waiting: Task[];
  /** Characters sent or waiting, without an answer yet. */
  load: number;
}

const BATCH_CHARACTERS = 8_000;
const MAX_WAIT_MS = 5;
/**
 * A grammar costs about as much to compile as this many characters cost to highlight; a language goes to a second
 * worker only when its own is that far behind.
 */
const STEAL_CHARACTERS = 60_000;

const FAILURES = ['error', 'messageerror', 'exit'] as const;

/** A worker that no pool uses. */
interface SpareWorker extends WarmWorker {
  readonly timer: NodeJS.Timeout;
}

/** Workers kept from earlier builds of this process: loading grammars takes longer than most builds. */
const spare: SpareWorker[] = [];
const MAX_SPARE = Math.max(2, availableParallelism());
/** A worker with more grammars than this is stopped, since they count towards the memory of the next build. */
const MAX_SPARE_GROUPS = 30;
const MAX_SPARE_MS = 10 * 60_000;
/** Unique across pools, so that a pool never mistakes an answer to an earlier one for its own. */
let nextId = 0;

/**
 * Starts up to `size` workers of `workerUrl`, each when first needed, or takes over what an earlier pool left. Languages
 * of one group stay on one worker, since every thread compiles its own grammars, unless that worker falls far behind
 * another.
 */
export function createHighlightPool(options: {
  readonly size: number;
  readonly workerUrl: URL;
  readonly groupOf: (language: string) => string;
  readonly maxHeapMb: number;
  readonly languages?: readonly OwnLanguage[];
}): HighlightPool {
  const own = new Map(options.languages?.map((language) => [language.key, language]));
  const lanes: Lane[] = [];
  const kind = `${options.workerUrl} ${options.maxHeapMb}`;
  let failure: Error | undefined;
  let timer: NodeJS.Timeout | undefined;

  return {
    highlight(block) {
      if (failure) return Promise.reject(failure);
      const lane = chooseLane(block.grammar ?? options.groupOf(block.language));
      return new Promise((resolve, reject) => {
        lane.waiting.push({ block, resolve, reject });
        lane.load += block.text.length;
        if (weigh(lane.waiting) >= BATCH_CHARACTERS) send(lane);
        else timer ??= setTimeout(flush, MAX_WAIT_MS);
      });
    },
    warmUp(blocks) {
      for (const block of blocks) post(chooseLane(options.groupOf(block.language)), nextId++, [block]);
    },
    rest() {
      for (const lane of lanes.filter(isIdle)) {
        lanes.splice(lanes.indexOf(lane), 1);
        removeListeners(lane.worker);
        void lane.worker.terminate();
      }
    },
    async close() {
      const isWell = failure === undefined;
      // A failed build may still send requests: a worker started for it would never end.
      failure ??= new BuildError('worker', 'The highlighting workers have been stopped');
      clearTimeout(timer);
      await Promise.all(
        lanes.splice(0).map((lane) => (isWell && isIdle(lane) && keep(lane) ? undefined : lane.worker.terminate())),
      );
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
    const lane = idlest ?? openLane(group);
    const language = own.get(group);
    if (language && !lane.groups.has(group)) post(lane, nextId++, [], { key: group, grammars: language.grammars });
    lane.groups.add(group);
    return lane;
  }

  function openLane(group: string): Lane {
    const lane: Lane = { ...(takeSpare(kind, group) ?? startWorker()), running: new Map(), waiting: [], load: 0 };
    const { worker } = lane;
    worker.on('message', (answer: HighlightAnswer) => {
      const tasks = lane.running.get(answer.id) ?? [];
      lane.running.delete(answer.id);
      tasks.forEach((task, index) => {
        lane.load -= task.block.text.length;
        settle(task, answer.results[index]!);
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
    // Stopped by `close`, or crashed: nothing may wait for it any longer.
    worker.on('exit', (code) => fail(new BuildError('worker', `A highlighting worker ended with code ${code}`)));
    lanes.push(lane);
    return lane;
  }

  function settle({ block, resolve, reject }: Task, { html, failure: why, ms }: HighlightResult): void {
    const meter = own.get(block.grammar ?? '')?.meter;
    if (meter) {
      meter.calls++;
      meter.ms += ms;
    }
    const message = `Extension "${meter?.name}" failed: language "${block.language}": ${why}`;
    if (why === undefined) resolve(html);
    else reject(new BuildError('extension', message));
  }

  function startWorker(): WarmWorker {
    const resourceLimits = { maxOldGenerationSizeMb: options.maxHeapMb };
    return { worker: new Worker(options.workerUrl, { resourceLimits }), groups: new Set(), kind };
  }

  function send(lane: Lane): void {
    if (lane.waiting.length === 0) return;
    const id = nextId++;
    lane.running.set(id, lane.waiting);
    const blocks = lane.waiting.map((task) => task.block);
    post(lane, id, blocks);
    lane.waiting = [];
  }
}

function post(
  { worker }: Lane,
  id: number,
  blocks: readonly CodeBlock[],
  language?: HighlightRequest['language'],
): void {
  worker.postMessage({ id, blocks, ...(language && { language }) } satisfies HighlightRequest);
}

function isIdle({ running, waiting }: Lane): boolean {
  return running.size === 0 && waiting.length === 0;
}

/**
 * Keeps a worker for the next pool; false if there are enough, or it has loaded too much. It does not keep the process
 * alive.
 */
function keep({ worker, groups, kind }: WarmWorker): boolean {
  if (spare.filter((one) => one.kind === kind).length >= MAX_SPARE || groups.size > MAX_SPARE_GROUPS) return false;
  const drop = (): void => {
    release(kept);
    void worker.terminate();
  };
  const kept: SpareWorker = { worker, groups, kind, timer: setTimeout(drop, MAX_SPARE_MS).unref() };
  spare.push(kept);
  removeListeners(worker);
  for (const event of FAILURES) worker.on(event, drop);
  worker.unref();
  return true;
}

/** Takes a spare worker, preferably one that has loaded the grammars of a group. */
function takeSpare(kind: string, group: string): WarmWorker | undefined {
  const fitting = spare.filter((one) => one.kind === kind);
  const taken = fitting.find(({ groups }) => groups.has(group)) ?? fitting[0];
  if (!taken) return undefined;
  release(taken);
  const { worker, groups } = taken;
  worker.ref();
  return { worker, groups, kind };
}

function release(one: SpareWorker): void {
  spare.splice(spare.indexOf(one), 1);
  clearTimeout(one.timer);
  removeListeners(one.worker);
}

/** Removes our listeners from a worker but not Node's own, which deliver the answers. */
function removeListeners(worker: Worker): void {
  for (const event of ['message', ...FAILURES]) worker.removeAllListeners(event);
}

function leastLoaded(lanes: readonly Lane[]): Lane | undefined {
  return lanes.reduce<Lane | undefined>((best, lane) => (best && best.load <= lane.load ? best : lane), undefined);
}

function weigh(tasks: readonly Task[]): number {
  return tasks.reduce((sum, task) => sum + task.block.text.length, 0);
}
