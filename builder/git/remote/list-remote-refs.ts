import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { BuildError } from '../../build-error.ts';
import type { Ref } from '../../model.ts';
import { chooseHead, type Head } from '../choose-head.ts';
import type { Authentication } from './authentication.ts';
import { type HttpClient, readAnswer, toStatusError } from './http-client.ts';
import { AnswerError, createPacketReader, DELIMITER, endedTooEarly, FLUSH } from './packet-lines.ts';
import { encodeLines, type ServerProtocol, UPLOAD_PACK } from './request-pack.ts';

/** The refs that a server lists. */
export interface RemoteRefs {
  readonly refs: readonly Ref[];
  readonly head: string | undefined;
  /** By commit id: the id to ask the server for, that of the tag object for an annotated tag. */
  readonly wants: ReadonlyMap<string, string>;
  readonly protocol: ServerProtocol;
}

/** Where the list comes from. */
export interface RemoteLocation {
  readonly url: string;
  readonly http: HttpClient;
  readonly authentication: Authentication;
}

/**
 * Lists the branches and tags of a remote. The oldest protocol is used unless the server insists on version 2: every
 * server knows it, and it needs one request where version 2 needs two. Throws `BuildError` and `AnswerError`.
 */
export async function listRemoteRefs(location: RemoteLocation): Promise<RemoteRefs> {
  const { protocol, lines } = await discover(location);
  const advertised = protocol.version === 2 ? await requestRefs(location) : lines;
  const { refs, head, wants } = collectRefs(advertised);
  if (refs.length === 0) throw new BuildError('no-refs', `Repository "${location.url}" has no commits yet`);
  return { refs, head: chooseHead(refs, head), wants, protocol };
}

/** A ref as the server lists it. */
interface AdvertisedRef {
  readonly oid: string;
  readonly name: string;
  /** Full name of the ref that this one stands for. */
  readonly target?: string | undefined;
  /** The target of the tag. */
  readonly peeled?: string | undefined;
}

const ADVERTISEMENT_TYPE = `application/x-${UPLOAD_PACK}-advertisement`;

/** Asks for the protocol version; versions 0 and 1 list the refs at once. */
async function discover({ url, http, authentication }: RemoteLocation): Promise<{
  readonly protocol: ServerProtocol;
  readonly lines: readonly AdvertisedRef[];
}> {
  const ask = () =>
    http.request({
      url: `${url}/info/refs?service=${UPLOAD_PACK}`,
      method: 'GET',
      headers: { ...authentication.headersFor(url), accept: `${ADVERTISEMENT_TYPE}, */*` },
    });
  let answer = await ask();
  if ((answer.status === 401 || answer.status === 203) && authentication.answerChallenge()) {
    await answer.discard();
    answer = await ask();
  }
  if (answer.status !== 200) {
    await answer.discard();
    throw toStatusError(answer.status, url);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (answer.type !== ADVERTISEMENT_TYPE && !/^....(?:# service=git-|version )/.test(bytes.toString('latin1', 0, 30))) {
    throw noRepository(url, bytes);
  }
  return parseAdvertisement(await readLines([bytes]), url);
}

function noRepository(url: string, bytes: Buffer): BuildError {
  if (/^[0-9a-f]{40}\trefs\//.test(bytes.toString('latin1', 0, 50))) {
    return new BuildError(
      'not-a-repository',
      `"${url}" is served as plain files ("dumb" HTTP), which docbuild cannot fetch from; serve it by git http-backend`,
    );
  }
  return new BuildError('not-a-repository', `"${url}" answers, but is not a git repository (smart HTTP protocol)`);
}

/** Returns the lines of a list; it must end with a flush, or it was cut off. */
async function readLines(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<readonly string[]> {
  const packets = createPacketReader(chunks);
  const lines: string[] = [];
  let isComplete = false;
  for (let packet = await packets.next(); packet !== undefined; packet = await packets.next()) {
    isComplete = packet === 'flush';
    const turn = yieldToEventLoop();
    if (turn) await turn;
    if (typeof packet !== 'string') lines.push(packet.toString('utf8').replace(/\n$/, ''));
  }
  const refusal = lines.find((line) => line.startsWith('ERR '));
  if (refusal !== undefined) throw new AnswerError(`refuses: ${JSON.stringify(refusal.slice(4))}`);
  if (!isComplete) throw endedTooEarly();
  return lines.filter((line) => !line.startsWith('# service='));
}

/** Format: git's Documentation/gitprotocol-pack, "Reference Discovery", and gitprotocol-v2, "Capability Advertisement". */
function parseAdvertisement(lines: readonly string[], url: string) {
  const stated = /^version (\d+)$/.exec(lines[0] ?? '')?.[1];
  const version = Number(stated ?? 0);
  if (version === 2) {
    const values = new Map(lines.slice(1).map((line) => split(line, '=')));
    checkObjectFormat(values.get('object-format'), url);
    const capabilities = new Set(values.get('fetch')?.split(' ') ?? []);
    return { protocol: { version, capabilities }, lines: [] } as const;
  }
  if (version !== 0 && version !== 1) throw new AnswerError(`speaks the unknown protocol version ${version}`);
  const [first, ...others] = stated === undefined ? lines : lines.slice(1);
  const [firstRef = '', listed = ''] = (first ?? '').split('\0');
  const capabilities = listed.split(' ').filter((name) => name !== '');
  const find = (name: string) =>
    capabilities.filter((text) => text.startsWith(`${name}=`)).map((text) => text.slice(name.length + 1));
  checkObjectFormat(find('object-format')[0], url);
  const targets = new Map(find('symref').map((text) => split(text, ':')));
  const refs: AdvertisedRef[] = [];
  // A repository without commits lists its capabilities beside a placeholder name.
  const named = / capabilities\^\{\}$/.test(firstRef)
    ? others
    : [...(first === undefined ? [] : [firstRef]), ...others];
  for (const line of named) {
    if (line.startsWith('shallow ')) continue;
    const [, oid, name] = /^([0-9a-f]{40}) ([^\0]+)$/.exec(line) ?? [];
    if (oid === undefined || name === undefined) throw damagedList(line);
    const tag = refs.at(-1);
    if (tag && name === `${tag.name}^{}`) refs[refs.length - 1] = { ...tag, peeled: oid };
    else refs.push({ oid, name, target: targets.get(name) });
  }
  return { protocol: { version, capabilities: new Set(capabilities) }, lines: refs } as const;
}

/** Asks for the list as version 2 wants it. */
async function requestRefs({ url, http, authentication }: RemoteLocation): Promise<readonly AdvertisedRef[]> {
  const address = http.address();
  const options = ['peel', 'symrefs', 'ref-prefix HEAD', 'ref-prefix refs/heads/', 'ref-prefix refs/tags/'];
  const answer = await http.request({
    url: `${address}/${UPLOAD_PACK}`,
    method: 'POST',
    headers: {
      ...authentication.headersFor(address),
      'git-protocol': 'version=2',
      'content-type': `application/x-${UPLOAD_PACK}-request`,
      accept: `application/x-${UPLOAD_PACK}-result`,
    },
    body: Buffer.from(`${encodeLines(['command=ls-refs'])}${DELIMITER}${encodeLines(options)}${FLUSH}`),
  });
  const lines = await readLines(readAnswer(answer, url, `application/x-${UPLOAD_PACK}-result`));
  return lines.map((line) => {
    const [, oid, name, attributes = ''] = /^([0-9a-f]{40}) (\S+)((?: \S+)*)$/.exec(line) ?? [];
    if (oid === undefined || name === undefined) throw damagedList(line);
    const find = (key: string) => new RegExp(` ${key}:(\\S+)`).exec(attributes)?.[1];
    return { oid, name, target: find('symref-target'), peeled: find('peeled') };
  });
}

function collectRefs(lines: readonly AdvertisedRef[]): Pick<RemoteRefs, 'refs' | 'wants'> & { readonly head: Head } {
  const wants = new Map<string, string>();
  const refs: Ref[] = [];
  let head: Head = { branch: undefined, oid: undefined };
  for (const { name, oid, peeled, target } of lines) {
    if (name === 'HEAD') head = { branch: target?.replace(/^refs\/heads\//, ''), oid };
    const kind = name.startsWith('refs/heads/') ? 'branch' : name.startsWith('refs/tags/') ? 'tag' : undefined;
    if (kind === undefined) continue;
    const commit = peeled ?? oid;
    refs.push({ name: name.slice(kind === 'branch' ? 'refs/heads/'.length : 'refs/tags/'.length), kind, oid: commit });
    if (peeled === undefined || !wants.has(commit)) wants.set(commit, oid);
  }
  return { refs, head, wants };
}

function checkObjectFormat(format: string | undefined, url: string): void {
  if (format === undefined || format === 'sha1') return;
  throw new BuildError('not-a-repository', `Cannot open "${url}": its object format ${format} is not supported`);
}

function damagedList(line: string): AnswerError {
  return new AnswerError(`sent a damaged list of refs, with the line ${JSON.stringify(line.slice(0, 200))}`);
}

function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
