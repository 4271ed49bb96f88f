import { createEngine, type LoadBytes, type SearchEngine } from './engine.ts';

/** Messages between page and thread: calls of the engine go one way, those of `LoadBytes` the other; both are answered. */
type Message =
  | { readonly id: number; readonly call: string; readonly args: readonly unknown[] }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

interface Port {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: Message, transfer: Transferable[]): void;
}

type Callee = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** Answers the calls that come through a port; returns a function that calls the other side. */
function connect(port: Port, callee: Callee): (call: string, ...args: readonly unknown[]) => Promise<unknown> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let last = 0;
  port.onmessage = async ({ data }: MessageEvent<Message>) => {
    if (!('call' in data)) {
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      if ('error' in data) asked?.reject(new Error(data.error));
      else asked?.resolve(data.value);
      return;
    }
    try {
      const value = await callee[data.call]!(...(data.args as never[]));
      port.postMessage({ id: data.id, value }, value instanceof ArrayBuffer ? [value] : []);
    } catch (error) {
      port.postMessage({ id: data.id, error: String(error) }, []);
    }
  };
  return (call, ...args) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      port.postMessage({ id: last, call, args }, []);
    });
}

/** Serves the engine on a thread of its own, whose script this is part of. */
export function serveEngine(): void {
  const port = self as unknown as Port;
  const ask = connect(port, callEngine(createEngine((url) => ask('load', url) as Promise<ArrayBuffer>)));
  void ask('ready');
}

function callEngine(engine: SearchEngine): Callee {
  return { open: engine.open, find: engine.find, readExcerpts: engine.readExcerpts };
}

export interface RunningEngine extends SearchEngine {
  /** Ends its thread; calls that wait are never answered. */
  stop(): void;
}

/** Starts the engine on a thread, so that no key waits for it; in the page where there can be none, as on pages without a server. */
export async function startEngine(script: string, load: LoadBytes): Promise<RunningEngine> {
  try {
    const worker = new Worker(script, { type: 'module' });
    return await new Promise<RunningEngine>((resolve, reject) => {
      const ask = connect(worker, {
        load,
        ready: async () =>
          resolve({
            open: (place) => ask('open', place) as ReturnType<SearchEngine['open']>,
            find: (query, everywhere) => ask('find', query, everywhere) as ReturnType<SearchEngine['find']>,
            readExcerpts: () => ask('readExcerpts') as ReturnType<SearchEngine['readExcerpts']>,
            stop: () => worker.terminate(),
          }),
      });
      worker.onerror = reject;
    });
  } catch {
    const engine = createEngine(load);
    return {
      ...engine,
      async find(query, everywhere) {
        // The key is shown first.
        await new Promise((resolve) => setTimeout(resolve));
        return engine.find(query, everywhere);
      },
      stop() {},
    };
  }
}
