import { BuildError } from '../../build-error.ts';
import { type HttpClient, readAnswer } from './http-client.ts';
import { AnswerError, createPacketReader, DELIMITER, encodePacket, endedTooEarly, FLUSH } from './packet-lines.ts';

/** The protocol of a server, as stated in its list of refs. */
export interface ServerProtocol {
  /** 2 only if the server does not support an older one. */
  readonly version: 0 | 1 | 2;
  /** Of version 2 those of the command `fetch`. */
  readonly capabilities: ReadonlySet<string>;
}

/** A request for commits. */
export interface PackRequest {
  /**
   * `files`: the commits with their files, without history. `folders`: the commits with their folders, without history and
   * the content of files. `past`: they and all that came before them, likewise. `objects`: nothing but the wanted objects.
   * For `folders` and `past` the server must be able to `filter`, for `folders` and `files` to leave out history (`shallow`).
   */
  readonly content: 'files' | 'folders' | 'past' | 'objects';
  readonly http: HttpClient;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: ServerProtocol;
  /** Ids as the server listed them, of annotated tags those of the tag objects. */
  readonly wants: readonly string[];
  /** Commits of which the same is complete locally. */
  readonly haves: readonly string[];
}

/** The service for all requests. */
export const UPLOAD_PACK = 'git-upload-pack';

/**
 * Asks for a pack by one request and returns its bytes as they arrive. Throws `BuildError` `no-such-ref` when the server
 * no longer has a commit, `AnswerError` for answers that are cut off or damaged. Format: git's
 * Documentation/gitprotocol-pack, -http and -v2.
 */
export async function* requestPack(request: PackRequest): AsyncGenerator<Buffer, void, undefined> {
  const { http, url, headers, protocol } = request;
  const body = Buffer.from(protocol.version === 2 ? encodeCommand(request) : encodeWants(request));
  const answer = await http.request({
    url: `${url}/${UPLOAD_PACK}`,
    method: 'POST',
    headers: {
      ...headers,
      ...(protocol.version === 2 && { 'git-protocol': 'version=2' }),
      'content-type': `application/x-${UPLOAD_PACK}-request`,
      accept: `application/x-${UPLOAD_PACK}-result`,
    },
    body,
  });
  yield* readPackAnswer(readAnswer(answer, url, `application/x-${UPLOAD_PACK}-result`), hasBands(protocol));
}

function hasBands({ version, capabilities }: ServerProtocol): boolean {
  return version === 2 || capabilities.has('side-band-64k') || capabilities.has('side-band');
}

/** A server that cannot leave out history sends all of it; local commits without history are then useless. */
function listArguments({ content, protocol, wants, haves }: PackRequest): {
  readonly wants: readonly string[];
  /** What of the history to leave out. */
  readonly extent: readonly string[];
  readonly haves: readonly string[];
} {
  const wanted = wants.map((oid) => `want ${oid}`);
  const present = haves.map((oid) => `have ${oid}`);
  if (content === 'objects') return { wants: wanted, extent: [], haves: [] };
  if (content === 'folders') return { wants: wanted, extent: ['deepen 1', 'filter blob:none'], haves: [] };
  if (content === 'past') return { wants: wanted, extent: ['filter blob:none'], haves: present };
  if (!protocol.capabilities.has('shallow')) return { wants: wanted, extent: [], haves: [] };
  return { wants: wanted, extent: [...haves.map((oid) => `shallow ${oid}`), 'deepen 1'], haves: present };
}

function encodeWants(request: PackRequest): string {
  const { capabilities } = request.protocol;
  const { wants, extent, haves } = listArguments(request);
  const usable = ['ofs-delta', 'no-progress', ...(haves.length > 0 ? ['thin-pack'] : [])];
  if (request.content === 'past' || request.content === 'folders') usable.push('filter');
  const band = ['side-band-64k', 'side-band'].find((name) => capabilities.has(name));
  const used = [...(band === undefined ? [] : [band]), ...usable.filter((name) => capabilities.has(name))];
  const [first, ...others] = wants;
  const lines = [`${first} ${used.join(' ')}`, ...others, ...extent];
  return `${encodeLines(lines)}${FLUSH}${encodeLines([...haves, 'done'])}`;
}

function encodeCommand(request: PackRequest): string {
  const { wants, extent, haves } = listArguments(request);
  const lines = ['thin-pack', 'ofs-delta', 'no-progress', ...wants, ...extent, ...haves, 'done'];
  return `${encodeLines(['command=fetch'])}${DELIMITER}${encodeLines(lines)}${FLUSH}`;
}

/** Returns lines of text as packets. */
export function encodeLines(lines: readonly string[]): string {
  return lines.map((line) => encodePacket(`${line}\n`)).join('');
}

/** Channels of a side band. */
const PACK_BAND = 1;
const PROGRESS_BAND = 2;
const ERROR_BAND = 3;

/**
 * The pack is preceded by lines about shallow and common commits, which both follow from the request; then it arrives in
 * packets whose first byte distinguishes it from messages, or, without a side band, as it is.
 */
async function* readPackAnswer(chunks: AsyncIterable<Uint8Array>, isInBands: boolean): AsyncGenerator<Buffer> {
  const packets = createPacketReader(chunks);
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
    const band = packet[0];
    if (isInBands && band === PACK_BAND) {
      hasBegun = true;
      yield packet.subarray(1);
    } else if (isInBands && band === ERROR_BAND) {
      throw toServerError(packet.toString('utf8', 1));
    } else if (!(isInBands && band === PROGRESS_BAND)) {
      const line = packet.toString('utf8');
      if (line.startsWith('ERR ')) throw toServerError(line.slice(4));
      if (hasBegun || !/^(?:shallow|unshallow|ACK|NAK|shallow-info|acknowledgments|ready|packfile)\b/.test(line)) {
        throw new AnswerError(`sent an unknown line: ${quote(line)}`);
      }
    }
  }
  for await (const _ of packets.rest()); // the connection can be used again once all is read
}

function toServerError(message: string): Error {
  // Git ends some of its messages with NUL.
  const text = quote(message.replace(/[\0\s]+$/, '').trimStart());
  if (/not our ref|not a valid ref|unadvertised|bad object/i.test(message)) {
    return new BuildError(
      'no-such-ref',
      `The server does not have a commit it has just listed (${text}): a branch or tag has just changed; try again`,
    );
  }
  if (/corrupt|missing (?:blob|tree|commit|object)|unable to (?:read|parse)|bad tree/i.test(message)) {
    return new BuildError(
      'remote-damaged',
      `The server cannot send what it has listed, its repository is damaged: ${text}`,
    );
  }
  return new AnswerError(`gave up: ${text}`);
}

/** Returns a server's message in a form that may be shown. */
function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
