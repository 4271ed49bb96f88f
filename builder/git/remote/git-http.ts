import type { GitHttpResponse, HttpClient } from 'isomorphic-git';
import type { StreamClient } from '../../../lib/http-stream.ts';
import type { Credentials } from '../../../lib/repository-address.ts';
import { createPacketReader, encodePacket, type Packet, type PacketReader, readPackets } from './packet-lines.ts';
import { AnswerError, endedTooEarly, quote, toServerError, toStatusError } from './remote-errors.ts';

export interface ServerProtocol {
  /** 2 only if the server does not support an older one. */
  readonly version: 0 | 1 | 2;
  /** Of version 2 those of the command `fetch`. */
  readonly capabilities: ReadonlySet<string>;
}

/** One commit to fetch: its id, and the id to request (that of a tag object, or the same). */
export interface WantedCommit {
  readonly oid: string;
  readonly want: string;
}

const SERVICE = 'git-upload-pack';
export const ADVERTISEMENT_TYPE = `application/x-${SERVICE}-advertisement`;
const RESULT_TYPE = `application/x-${SERVICE}-result`;
export const PREAMBLE = [`# service=${SERVICE}\n`, 'flush'] as const;

/** Some servers check the beginning to distinguish git from browsers. */
export const AGENT = 'git/2 docbuild';

/** Number of known commits named to the server, so that it sends only what is new. */
const MAX_HAVES = 2_048;

export interface PackExchange {
  readonly client: StreamClient;
  readonly url: string;
  readonly protocol: ServerProtocol;
  readonly wanted: readonly WantedCommit[];
  /** The content of files is left out. */
  readonly isFiltered: boolean;
  /** The server may be told what is here; it takes for granted that the history is here, too, unless it is told that it is not. */
  readonly isBuiltUpon: boolean;
  /**
   * Reads the pack to its end, and stores it: when this resolves, isomorphic-git notes that the commits are here. Returns those whose
   * history was left out; what the server says of them counts for nothing.
   */
  receive(pack: AsyncIterable<Buffer>): Promise<readonly string[]>;
}

/**
 * Creates what isomorphic-git fetches with. It asks for the list of refs again, and is told those that are wanted, by their ids, so
 * that no name of a server becomes one of a file. Then it requests a pack; its request is completed by what it lacks: deltas against
 * what is here (`thin-pack`), packs without the content of files (`filter`, its issue 1123) and version 2 of the protocol. The pack
 * is handed to `receive`, since isomorphic-git would hold it in memory (its issue 32), and it goes on with an empty one.
 */
export function createPackHttp(exchange: PackExchange): HttpClient {
  const { url, wanted, protocol } = exchange;
  return {
    async request({ method, headers = {}, body }) {
      if (method !== 'POST') {
        const added = protocol.version === 2 ? ['side-band-64k', 'ofs-delta'] : [];
        const capabilities = [...protocol.capabilities, ...added].filter((name) => !name.startsWith('symref='));
        const refs = wanted.map(({ oid }) => `${oid} refs/heads/${oid}\n`);
        const first = `${wanted[0]!.oid} HEAD\0${capabilities.join(' ')}\n`;
        return respond(url, [...PREAMBLE, first, ...refs, 'flush'], ADVERTISEMENT_TYPE);
      }
      const answer = await post({ ...exchange, headers }, await completeRequest(await joinBody(body), exchange));
      const shallow = await exchange.receive(readPackAnswer(answer, protocol));
      const pack = Buffer.concat([Buffer.from([PACK_BAND]), EMPTY_PACK]);
      return respond(url, [...shallow.map((oid) => `shallow ${oid}\n`), 'NAK\n', pack, 'flush']);
    },
  };
}

/** A pack without objects, as isomorphic-git takes it: it looks at the first twelve bytes. */
const EMPTY_PACK = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');

/** Returns the lines that ask for a pack, made from what isomorphic-git asks for. */
async function completeRequest(
  body: Buffer,
  { protocol, wanted, isFiltered, isBuiltUpon }: PackExchange,
): Promise<readonly (string | Packet)[]> {
  const words = (await readPackets([body])).map((packet) => packet.toString().trimEnd().split(' '));
  const find = (name: string) => words.flatMap(([word, value]) => (word === name ? [value!] : []));
  const haves = new Set(isBuiltUpon ? find('have').slice(-MAX_HAVES) : []);
  const wants = [...new Set(wanted.map(({ want }) => want))].map((oid) => `want ${oid}`);
  const extent = [
    ...find('shallow').flatMap((oid) => (haves.has(oid) ? [`shallow ${oid}`] : [])),
    ...find('deepen').map((depth) => `deepen ${depth}`),
    ...(isFiltered ? ['filter blob:none'] : []),
  ];
  const end = [...[...haves].map((oid) => `have ${oid}`), 'done'].map((line) => `${line}\n`);
  if (protocol.version === 2) {
    const lines = ['thin-pack', 'ofs-delta', 'no-progress', ...wants, ...extent];
    return ['command=fetch\n', 'delimiter', ...lines.map((line) => `${line}\n`), ...end, 'flush'];
  }
  // Those would have a line for each commit that is known to both.
  const own = words[0]!.slice(2).filter((name) => !/^(?:multi_ack|no-done)/.test(name));
  const added = ['thin-pack', 'no-progress', ...(isFiltered ? ['filter'] : [])];
  if (!own.includes('side-band-64k')) added.push('side-band');
  const used = [...own, ...added.filter((name) => protocol.capabilities.has(name))];
  const [first, ...others] = [...wants, ...extent];
  return [`${first} ${used.join(' ')}\n`, ...others.map((line) => `${line}\n`), 'flush', ...end];
}

/** Sends a request in lines of the protocol, and returns the body of its answer. Throws `BuildError` and `AnswerError`. */
export async function* post(
  { client, url, protocol, headers }: Pick<PackExchange, 'client' | 'url' | 'protocol'> & { headers: Headers },
  lines: readonly (string | Packet)[],
): AsyncGenerator<Buffer> {
  const version = protocol.version === 2 && { 'git-protocol': 'version=2' };
  const body = Buffer.concat(lines.map(encodePacket));
  const sent = { ...headers, ...version, 'user-agent': AGENT };
  const answer = await client.send({ url: `${url}/${SERVICE}`, method: 'POST', headers: sent, body });
  if (answer.status !== 200 || answer.type !== RESULT_TYPE) await answer.discard();
  if (answer.status !== 200) throw toStatusError(answer.status, url);
  if (answer.type !== RESULT_TYPE) throw new AnswerError(`answered as "${answer.type}" instead of "${RESULT_TYPE}"`);
  yield* answer.body;
}

type Headers = Readonly<Record<string, string>>;

const PACK_BAND = 1;
const PROGRESS_BAND = 2;
const ERROR_BAND = 3;

/**
 * Returns the pack of an answer. Lines about shallow and common commits precede it, which follow from the request; then it arrives in
 * packets whose first byte distinguishes it from messages, or, without a side band, as it is. Throws `BuildError` `no-such-ref` when
 * the server no longer has a commit, `AnswerError` for answers that are cut off or damaged. Format: git's Documentation/gitprotocol-pack, -http and -v2.
 */
async function* readPackAnswer(
  chunks: AsyncIterable<Uint8Array>,
  protocol: ServerProtocol,
): AsyncGenerator<Buffer, void, undefined> {
  const packets = createPacketReader(chunks);
  try {
    yield* readPack(packets, protocol);
  } finally {
    // Of a pack that is damaged nobody waits for the rest.
    await packets.close();
  }
}

async function* readPack(
  packets: PacketReader,
  { version, capabilities }: ServerProtocol,
): AsyncGenerator<Buffer, void, undefined> {
  const isInBands = version === 2 || capabilities.has('side-band-64k') || capabilities.has('side-band');
  let hasBegun = false;
  for (;;) {
    if (!isInBands && (await packets.continuesWith('PACK'))) {
      yield* packets.rest();
      return;
    }
    const packet = await packets.next();
    if (packet === undefined) throw endedTooEarly();
    if (typeof packet === 'string') {
      if (packet === 'flush' && hasBegun) break;
      continue;
    }
    const band = isInBands ? packet[0] : undefined;
    if (band === PACK_BAND) {
      hasBegun = true;
      yield packet.subarray(1);
    } else if (band === ERROR_BAND) {
      throw toServerError(packet.toString('utf8', 1));
    } else if (band !== PROGRESS_BAND) {
      const line = packet.toString('utf8');
      if (line.startsWith('ERR ')) throw toServerError(line.slice(4));
      if (hasBegun || !/^(?:shallow|unshallow|ACK|NAK|shallow-info|acknowledgments|ready|packfile)\b/.test(line)) {
        throw new AnswerError(`sent an unknown line: ${quote(line)}`);
      }
    }
  }
  for await (const _ of packets.rest()); // the connection can be used again once all is read
}

/** Returns an answer for isomorphic-git: packets, or lines that become some. */
export function respond(
  url: string,
  packets: readonly (string | Packet)[],
  type = RESULT_TYPE,
  statusCode = 200,
): GitHttpResponse {
  const body = [Buffer.concat(packets.map(encodePacket))];
  return { url, statusCode, statusMessage: '', headers: { 'content-type': type }, body: body as never };
}

export async function joinBody(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns the headers that hand over credentials (HTTP Basic). */
export function authorize(credentials: Credentials | undefined): Record<string, string> {
  if (credentials === undefined) return {};
  const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  return { Authorization: `Basic ${pair}` };
}
