import type { HttpClient } from 'isomorphic-git';
import * as git from 'isomorphic-git';
import type { StreamClient } from '../../../lib/http-stream.ts';
import type { Credentials } from '../../../lib/repository-address.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { BuildError } from '../../build-error.ts';
import type { Ref } from '../../model.ts';
import { chooseHead, type Head } from '../local/choose-head.ts';
import {
  ADVERTISEMENT_TYPE,
  AGENT,
  authorize,
  joinBody,
  PREAMBLE,
  post,
  respond,
  type ServerProtocol,
} from './git-http.ts';
import { type Packet, readPackets } from './packet-lines.ts';
import { AnswerError, endedTooEarly, quote, toStatusError } from './remote-errors.ts';

export interface RemoteRefs {
  readonly refs: readonly Ref[];
  readonly head: string | undefined;
  /** By commit id: the id to ask the server for, that of the tag object for an annotated tag. */
  readonly wants: ReadonlyMap<string, string>;
  readonly protocol: ServerProtocol;
  /** The repository's address after redirects. */
  readonly address: string;
}

export interface RemoteLocation {
  readonly url: string;
  readonly client: StreamClient;
  /** Sent unasked. */
  readonly credentials: Credentials | undefined;
  /** Returns what is sent when the server asks; undefined if there is nothing. */
  onAuth(): Credentials | undefined;
}

/**
 * Lists the branches and tags of a remote. The oldest protocol is asked for: every server knows it, and it needs one request
 * where version 2 needs two. Throws `BuildError`, `HttpError`, `AnswerError`, and what isomorphic-git throws.
 */
export async function listRemoteRefs(location: RemoteLocation): Promise<RemoteRefs> {
  const { url, credentials, onAuth } = location;
  const { http, found } = createListing(location);
  const headers = authorize(credentials);
  const listed = await git.listServerRefs({
    http,
    url,
    headers,
    protocolVersion: 1,
    symrefs: true,
    peelTags: true,
    onAuth: () => (credentials === undefined ? onAuth() : undefined),
  });
  const wants = new Map<string, string>();
  const refs: Ref[] = [];
  let head: Head = { branch: undefined, oid: undefined };
  for (const { ref, oid, peeled, target } of listed) {
    if (!/^[0-9a-f]{40}$/.test(oid) || !/^[0-9a-f]{40}$/.test(peeled ?? oid)) {
      throw new AnswerError(`sent a damaged list of refs, with the line ${quote(`${oid} ${ref}`)}`);
    }
    if (ref === 'HEAD') head = { branch: target?.replace(/^refs\/heads\//, ''), oid };
    const [, folder, name] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? [];
    if (name === undefined) continue;
    const commit = peeled ?? oid;
    refs.push({ name, kind: folder === 'heads' ? 'branch' : 'tag', oid: commit });
    if (peeled === undefined || !wants.has(commit)) wants.set(commit, oid);
  }
  if (refs.length === 0) throw noRefs(url);
  return { refs, head: chooseHead(refs, head), wants, ...found };
}

/**
 * Creates what isomorphic-git lists refs with. It takes a list that was cut off for whole, and knows no refusals: so a list is read
 * to its end first, and what nobody wants is left out of it.
 */
function createListing({ url, client }: RemoteLocation) {
  const found = { address: url, protocol: { version: 0, capabilities: new Set() } as ServerProtocol };
  const http: HttpClient = {
    async request({ url: target, method, headers = {}, body }) {
      if (method === 'POST') {
        // Version 2 asks for its list. What was meant for one server is not for another that it redirects to.
        const { Authorization: _, ...others } = headers;
        const sent = new URL(found.address).origin === new URL(url).origin ? headers : others;
        const lines = await readPackets([await joinBody(body)]);
        return respond(
          url,
          await readList(post({ client, url: found.address, protocol: found.protocol, headers: sent }, lines)),
        );
      }
      const accept = `${ADVERTISEMENT_TYPE}, */*`;
      const sent = { ...headers, accept, 'user-agent': AGENT };
      const answer = await client.send({ url: target, method: 'GET', headers: sent });
      if (answer.status !== 200) {
        await answer.discard();
        // isomorphic-git asks for credentials, and comes again.
        if (answer.status === 401 || answer.status === 203) return respond(url, [], '', answer.status);
        throw toStatusError(answer.status, url);
      }
      const bytes = await joinBody(answer.body);
      const start = bytes.toString('latin1', 0, 50);
      const isGit = answer.type === ADVERTISEMENT_TYPE || /^....(?:# service=git-|version )/.test(start);
      if (!isGit) throw noRepository(url, start);
      found.address = answer.url.replace(/\/info\/refs(\?.*)?$/s, '');
      const packets = (await readList([bytes])).filter((packet) => !/^# service=/.test(textOf(packet)));
      found.protocol = readProtocol(packets, url);
      const isNew = found.protocol.version === 2;
      const kept = isNew ? packets : [...(await keepRefs(packets, found.protocol.capabilities)), 'flush' as const];
      if (kept.length === 1) throw noRefs(url);
      return respond(url, [...PREAMBLE, ...kept], ADVERTISEMENT_TYPE);
    },
  };
  return { http, found };
}

function noRefs(url: string): BuildError {
  return new BuildError('no-refs', `Repository "${url}" has no commits yet`);
}

function noRepository(url: string, start: string): BuildError {
  const isDumb = /^[0-9a-f]{40}\trefs\//.test(start);
  const why = isDumb
    ? 'is served as plain files ("dumb" HTTP), which docbuild cannot fetch from; serve it by git http-backend'
    : 'answers, but is not a git repository (smart HTTP protocol)';
  return new BuildError('not-a-repository', `"${url}" ${why}`);
}

/** Returns the packets of a list. Throws `AnswerError` for a refusal, and for one that does not end with a flush. */
async function readList(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<readonly Packet[]> {
  const packets = await readPackets(chunks);
  const refusal = packets.map(textOf).find((text) => text.startsWith('ERR '));
  if (refusal !== undefined) throw new AnswerError(`refuses: ${quote(refusal.slice(4))}`);
  if (packets.at(-1) !== 'flush') throw endedTooEarly();
  return packets;
}

/** Longer ones are damaged: a name has 255 bytes at most. */
const MAX_LINE_BYTES = 8_000;

/** Returns the beginning of a line; '' for a separator. */
function textOf(packet: Packet): string {
  return typeof packet === 'string' ? '' : packet.toString('latin1', 0, 400).trimEnd();
}

/** Format: git's Documentation/gitprotocol-pack, "Reference Discovery", and gitprotocol-v2, "Capability Advertisement". */
function readProtocol(packets: readonly Packet[], url: string): ServerProtocol {
  const lines = packets.filter((packet) => typeof packet !== 'string').map((line) => line.toString('latin1').trimEnd());
  const stated = /^version (\d+)$/.exec(lines[0] ?? '')?.[1];
  const version = Number(stated ?? 0);
  if (version !== 0 && version !== 1 && version !== 2) {
    throw new AnswerError(`speaks the unknown protocol version ${version}`);
  }
  const names = version === 2 ? lines : (lines[version]?.split('\0')[1] ?? '').split(' ');
  const find = (name: string) => names.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
  const format = find('object-format') ?? 'sha1';
  if (format !== 'sha1') {
    throw new BuildError('not-a-repository', `Cannot open "${url}": its object format ${format} is not supported`);
  }
  return { version, capabilities: new Set(version === 2 ? find('fetch')?.split(' ') : names) };
}

/**
 * Leaves out what is neither HEAD nor a branch or tag, since pull requests are many, and writes the others anew: isomorphic-git stumbles
 * over a first line without capabilities or with the words `version 2`, cuts blanks off names, and looks for the tag of what does not
 * stand behind it among all. Of a name that comes twice the first counts.
 */
async function keepRefs(packets: readonly Packet[], capabilities: ReadonlySet<string>): Promise<readonly string[]> {
  const kept: string[] = [];
  const seen = new Set<string>();
  let last = '';
  for (const packet of packets) {
    const turn = yieldToEventLoop();
    if (turn) await turn;
    const line = typeof packet === 'string' ? '' : packet.toString('utf8', 0, MAX_LINE_BYTES).replace(/\n$/, '');
    if (line === '' || /^(?:version|shallow) /.test(line) || / capabilities\^\{\}(?:\0|$)/.test(line)) continue;
    const [, oid, name = ''] = /^([0-9a-f]{40}) ([^\0]+)(?:\0.*)?$/s.exec(line) ?? [];
    const isOdd = oid === undefined || (kept.length > 0 && line.includes('\0'));
    if (isOdd) throw new AnswerError(`sent a damaged list of refs, with the line ${quote(line)}`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: git allows none in a name
    if (!/^(?:HEAD|refs\/(?:heads|tags)\/[^\x00-\x20\x7f]+)$/.test(name) || name !== name.trim()) continue;
    const isPeeled = name.endsWith('^{}');
    if (isPeeled ? name !== `${last}^{}` : seen.has(name)) {
      last = '';
      continue;
    }
    seen.add(name);
    last = isPeeled ? '' : name;
    kept.push(`${oid} ${name}`);
  }
  const stated = [...capabilities].filter((text) => /^symref=[^:]+:./.test(text));
  return kept.map((line, index) => (index === 0 ? `${line}\0${stated.join(' ')}\n` : `${line}\n`));
}
