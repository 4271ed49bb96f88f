import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** Readers of a site and a publisher at work at the same time. */
export interface ReadWhilePublishing {
  /** Addresses of pages; each holds its publish's mark, see `markText`, more than once. */
  readonly urls: readonly string[];
  /** Publishes the site with this mark and resolves when it is done. */
  readonly publish: (mark: number) => Promise<void>;
  /** Publishes, after the first one. */
  readonly publishes: number;
  /** Readers at a time. */
  readonly readers: number;
}

export interface Seen {
  readonly answers: number;
  readonly notModified: number;
  /** Distinct marks among the answers. */
  readonly marks: number;
  /** Everything that was wrong, a line each. */
  readonly errors: readonly string[];
}

const ENCODINGS = [undefined, 'gzip', 'br', 'gzip, deflate, br'] as const;

/** Returns the text that carries a mark. */
export function markText(mark: number): string {
  return `mark-${mark}-end`;
}

/**
 * Lets readers ask for pages without a pause while publishes follow each other. An answer must be whole, carry one mark
 * throughout, and be no older than the last publish that was done when it was asked for.
 */
export async function readWhilePublishing(work: ReadWhilePublishing): Promise<Seen> {
  const { urls, publish, publishes, readers } = work;
  const agent = new Agent({ keepAlive: true, maxSockets: readers });
  const errors: string[] = [];
  const marks = new Set<number>();
  let answers = 0;
  let notModified = 0;
  let done = 0;
  let begun = 0;
  let isOver = false;
  await publish(0);
  const reading = Array.from({ length: readers }, (_, i) => read(i));
  try {
    for (begun = 1; begun <= publishes; begun++) {
      await publish(begun);
      done = begun;
    }
  } finally {
    isOver = true;
    await Promise.all(reading);
    agent.destroy();
  }
  return { answers, notModified, marks: marks.size, errors };

  async function read(reader: number): Promise<void> {
    const tags = new Map<string, { readonly tag: string; readonly mark: number }>();
    for (let i = reader; !isOver; i++) {
      const url = urls[i % urls.length]!;
      const encoding = ENCODINGS[i % ENCODINGS.length];
      const known = i % 3 === 0 ? tags.get(url + encoding) : undefined;
      const oldest = done;
      try {
        const response = await get(url, agent, {
          ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
          ...(known ? { 'if-none-match': known.tag } : {}),
        });
        const bytes = await buffer(response);
        answers++;
        const mark = response.statusCode === 304 ? known?.mark : readMark(response, bytes);
        if (response.statusCode === 304) notModified++;
        if (mark === undefined) {
          errors.push(`${url}: status ${response.statusCode}, ${bytes.length} bytes, no single mark`);
          continue;
        }
        marks.add(mark);
        if (mark < oldest || mark > begun) {
          errors.push(`${url}: mark ${mark}, although ${oldest} was published and ${begun} not begun (${encoding})`);
        }
        tags.set(url + encoding, { tag: response.headers.etag!, mark });
      } catch (error) {
        errors.push(`${url}: ${error}`);
      }
    }
  }
}

function get(url: string, agent: Agent, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { agent, headers }, resolve).once('error', reject).end();
  });
}

/** Returns the mark of a whole answer; undefined where there is none or more than one. */
function readMark(response: IncomingMessage, bytes: Buffer): number | undefined {
  if (response.statusCode !== 200 || Number(response.headers['content-length']) !== bytes.length) return undefined;
  const encoding = response.headers['content-encoding'];
  const body = encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes;
  const found = new Set([...body.toString().matchAll(/mark-(\d+)-end/g)].map(([, mark]) => mark));
  return found.size === 1 && body.toString().trimEnd().endsWith('</html>') ? Number([...found][0]) : undefined;
}
