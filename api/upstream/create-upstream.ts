import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Agent } from 'undici';
import { UpstreamError } from './upstream-error.ts';

/** What another server has answered. */
export interface UpstreamAnswer {
  readonly status: number;
  /** By lower-case name; those that came several times are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** Without any content coding. */
  readonly body: Buffer;
}

/** Asks other servers over connections that stay open. */
export interface Upstream {
  /** Returns whatever is answered, redirects included. Throws UpstreamError when nothing usable comes in time. */
  get(
    url: string | URL,
    options?: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
  ): Promise<UpstreamAnswer>;
  /** Ends requests under way and closes connections. */
  close(): Promise<void>;
}

/** Limits of each answer, from the first byte sent to the last one read; `maxBytes` hold for what is decoded, too. */
export interface UpstreamOptions {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Most connections to one host, default 8; further requests wait for one. */
  readonly maxConnections?: number;
  /** Finds addresses of hosts; the system's where it is left out. */
  readonly lookup?: LookupFunction;
}

/** Search engines send many cookies. */
const MAX_HEADER_BYTES = 65_536;

const DECODERS: ReadonlyMap<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = new Map([
  ['gzip', promisify(gunzip) as never],
  ['x-gzip', promisify(gunzip) as never],
  ['deflate', promisify(inflate) as never],
  ['br', promisify(brotliDecompress) as never],
]);

/** Creates a way to ask other servers. The client is loaded with the first request. */
export function createUpstream({ timeoutMs, maxBytes, maxConnections = 8, lookup }: UpstreamOptions): Upstream {
  const closing = new AbortController();
  let loading: Promise<{ readonly agent: Agent; readonly request: typeof import('undici').request }> | undefined;
  const load = async () => {
    // All of a CommonJS package is in its default export, also where it is bundled.
    const { default: undici } = await import('undici');
    const agent = new undici.Agent({
      connections: maxConnections,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: 30_000,
      connect: { timeout: timeoutMs, ...(lookup && { lookup }) },
    });
    return { agent, request: undici.request };
  };
  const ask = async (url: string | URL, headers: Readonly<Record<string, string>>, signal: AbortSignal) => {
    loading ??= load();
    const { agent, request } = await loading;
    const answer = await request(url, {
      dispatcher: agent,
      headers: { 'accept-encoding': 'gzip, br', ...headers },
      signal,
    });
    const known = new Map<string, string>();
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined) known.set(name, Array.isArray(value) ? value.join(', ') : value);
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(url, maxBytes);
      chunks.push(chunk);
    }
    const body = await decode(Buffer.concat(chunks), known.get('content-encoding') ?? '', url, maxBytes);
    return { status: answer.statusCode, headers: known, body };
  };
  return {
    async get(url, { headers = {}, signal } = {}) {
      const limit = AbortSignal.timeout(timeoutMs);
      const ends = AbortSignal.any([limit, closing.signal, ...(signal ? [signal] : [])]);
      try {
        ends.throwIfAborted();
        return await ask(url, headers, ends);
      } catch (cause) {
        if (cause instanceof UpstreamError) throw cause;
        const { host } = new URL(url);
        if (closing.signal.aborted || signal?.aborted) {
          throw new UpstreamError('aborted', `The request to "${host}" was given up`, { cause });
        }
        if (limit.aborted) {
          throw new UpstreamError('timeout', `"${host}" has not answered within ${timeoutMs / 1000} s`, { cause });
        }
        const { code } = cause as NodeJS.ErrnoException;
        throw new UpstreamError('unreachable', `Cannot reach "${host}"${code ? ` (${code})` : ''}`, { cause });
      }
    },
    async close() {
      closing.abort();
      const loaded = await loading?.catch(() => undefined);
      await loaded?.agent.destroy();
    },
  };
}

async function decode(body: Buffer, coding: string, url: string | URL, maxBytes: number): Promise<Buffer> {
  const name = coding.trim().toLowerCase();
  if (name === '' || name === 'identity' || body.length === 0) return body;
  const decoder = DECODERS.get(name);
  try {
    if (!decoder) throw new Error('Unknown coding');
    return await decoder(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(url, maxBytes);
    const message = `"${new URL(url).host}" has sent a body that cannot be read`;
    throw new UpstreamError('unreadable', message, { cause });
  }
}

function tooLarge(url: string | URL, maxBytes: number): UpstreamError {
  return new UpstreamError('too-large', `"${new URL(url).host}" has sent more than ${maxBytes} bytes`);
}
