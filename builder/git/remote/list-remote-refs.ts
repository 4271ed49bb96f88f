import type { HttpClient } from 'isomorphic-git';
import * as git from 'isomorphic-git';
import type { StreamClient } from '../../../lib/http-stream.ts';
import type { Credentials } from '../../../lib/repository-address.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { BuildError } from '../../build-error.ts';
import type { Ref } from '../../model.ts';
import { chooseHead, type Head } from '../local/choose-head.ts';
import {
  AGENT,
  authorize,
  joinBody,
  RESULT_TYPE,
  readAnswer,
  respond,
  SERVICE,
  type ServerProtocol,
} from './git-http.ts';
import { type Packet, readPackets } from './packet-lines.ts';
import { AnswerError, quote, toStatusError } from './remote-errors.ts';

/** The refs that a server lists. */
export interface RemoteRefs {
  readonly refs: readonly Ref[];
  readonly head: string | undefined;
  /** By commit id: the id to ask the server for, that of the tag object for an annotated tag. */
  readonly wants: ReadonlyMap<string, string>;
  readonly protocol: ServerProtocol;
  /** The repository's address after redirects. */
  readonly address: string;
}

/** Where the list comes from. */
export interface RemoteLocation {
  readonly url: string;
  readonly client: StreamClient;
  /** What is sent unasked. */
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
    ...{ http, url, headers, protocolVersion: 1, symrefs: true, peelTags: true },
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
  if (refs.length === 0) throw new BuildError('no-refs', `Repository "${url}" has no commits yet`);
  return { refs, head: chooseHead(refs, head), wants, ...found() };
}

const ADVERTISEMENT_TYPE = `application/x-${SERVICE}-advertisement`;

/**
 * Creates what isomorphic-git lists refs with. It takes a list that was cut off for whole, and knows no refusals: so a list is read
 * to its end first, and what nobody wants is left out of it.
 */
function createListing({ url, client }: RemoteLocation): {
  readonly http: HttpClient;
  found(): { readonly protocol: ServerProtocol; readonly address: string };
} {
  let address = url;
  let protocol: ServerProtocol = { version: 0, capabilities: new Set() };
  const http: HttpClient = {
    async request({ url: target, method, headers = {}, body }) {
      if (method === 'POST') {
        // Version 2 asks for its list. What was meant for one server is not for another that it redirects to.
        const { Authorization = '', ...others } = headers;
        const credentials = new URL(address).origin === new URL(url).origin &&
          Authorization !== '' && { Authorization };
        const sent = { ...others, ...credentials, 'git-protocol': 'version=2', 'user-agent': AGENT };
        const answer = await client.send({
          url: `${address}/${SERVICE}`,
          method,
          headers: sent,
          body: await joinBody(body),
        });
        const packets = await readList(readAnswer(answer, url, RESULT_TYPE));
        return respond(url, packets);
      }
      const accept = `${ADVERTISEMENT_TYPE}, */*`;
      const answer = await client.send({
        url: target,
        method: 'GET',
        headers: { ...headers, accept, 'user-agent': AGENT },
      });
      if (answer.status !== 200) {
        await answer.discard();
        // isomorphic-git asks for credentials, and comes again.
        if (answer.status === 401 || answer.status === 203) return respond(url, [], { status: answer.status });
        throw toStatusError(answer.status, url);
      }
      const bytes = await joinBody(answer.body);
      const start = bytes.toString('latin1', 0, 50);
      if (answer.type !== ADVERTISEMENT_TYPE && !/^....(?:# service=git-|version )/.test(start))
        throw noRepository(url, start);
      address = answer.url.replace(/\/info\/refs(\?.*)?$/, '');
      const packets = (await readList([bytes])).filter((packet) => !isText(packet, /^# service=/));
      protocol = readProtocol(packets, url);
      const kept = protocol.version === 2 ? packets : await keepRefs(packets);
      return respond(url, [`# service=${SERVICE}\n`, 'flush', ...kept], { type: ADVERTISEMENT_TYPE });
    },
  };
  return { http, found: () => ({ protocol, address }) };
}

function noRepository(url: string, start: string): BuildError {
  const isDumb = /^[0-9a-f]{40}\trefs\//.test(start);
  const why = isDumb
    ? 'is served as plain files ("dumb" HTTP), which docbuild cannot fetch from; serve it by git http-backend'
    : 'answers, but is not a git repository (smart HTTP protocol)';
  return new BuildError('not-a-repository', `"${url}" ${why}`);
}

/** Returns the packets of a list, which ends with a flush unless it was cut off. */
async function readList(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<readonly Packet[]> {
  const packets = await readPackets(chunks);
  const refusal = packets.find((packet) => isText(packet, /^ERR /));
  if (refusal !== undefined) throw new AnswerError(`refuses: ${quote(refusal.toString().slice(4).trimEnd())}`);
  return packets;
}

function isText(packet: Packet, pattern: RegExp): boolean {
  return typeof packet !== 'string' && pattern.test(packet.toString('latin1', 0, 30));
}

/** Format: git's Documentation/gitprotocol-pack, "Reference Discovery", and gitprotocol-v2, "Capability Advertisement". */
function readProtocol(packets: readonly Packet[], url: string): ServerProtocol {
  const lines = packets.filter((packet) => typeof packet !== 'string');
  const version = Number(/^version (\d+)/.exec(lines[0]?.toString('latin1', 0, 20) ?? '')?.[1] ?? 0);
  if (version !== 0 && version !== 1 && version !== 2) {
    throw new AnswerError(`speaks the unknown protocol version ${version}`);
  }
  const first = lines[version === 1 ? 1 : 0]?.toString('latin1') ?? '';
  const stated =
    version === 2
      ? lines.map((line) => line.toString('latin1').trimEnd())
      : (first.split('\0')[1] ?? '').trimEnd().split(' ');
  const find = (name: string) => stated.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
  const format = find('object-format') ?? 'sha1';
  if (format !== 'sha1') {
    throw new BuildError('not-a-repository', `Cannot open "${url}": its object format ${format} is not supported`);
  }
  return { version, capabilities: new Set(version === 2 ? find('fetch')?.split(' ') : stated) };
}

/** Leaves out what is neither HEAD nor a branch or tag: pull requests are many. */
async function keepRefs(packets: readonly Packet[]): Promise<readonly Packet[]> {
  const kept: Packet[] = [];
  let last = '';
  for (const packet of packets) {
    const turn = yieldToEventLoop();
    if (turn) await turn;
    if (isText(packet, /^(?:version |shallow )/)) continue;
    const [, name] = /^[0-9a-f]{40} (\S+)/.exec(packet.toString('latin1', 0, 1000)) ?? [];
    const isPeeled = name?.endsWith('^{}') === true;
    if (name !== undefined && kept.some(Buffer.isBuffer)) {
      if (!/^refs\/(?:heads|tags)\//.test(name) || (isPeeled && name !== `${last}^{}`)) continue;
    }
    if (!isPeeled) last = name ?? '';
    kept.push(packet);
  }
  return kept;
}
