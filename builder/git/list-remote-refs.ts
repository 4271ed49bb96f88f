import git, { type AuthCallback } from 'isomorphic-git';
import { BuildError } from '../build-error.ts';
import type { Ref } from '../model.ts';
import { chooseHead } from './choose-head.ts';
import type { LimitedHttpClient } from './create-http-client.ts';

/** What a server says it has. */
export interface RemoteRefs {
  readonly refs: readonly Ref[];
  readonly head: string | undefined;
  /** By commit id: the id to ask the server for, that of the tag object for an annotated tag. */
  readonly wants: ReadonlyMap<string, string>;
  /** The server's capabilities as it says them, e.g. `shallow`. */
  readonly capabilities: readonly string[];
}

/**
 * Lists the branches and tags of a remote by one request. Protocol 1 is asked for on purpose: protocol 2 needs two
 * requests for the same list (isomorphic-git can give the server only one prefix), and isomorphic-git fetches by
 * protocol 1, which needs this very answer.
 */
export async function listRemoteRefs(options: {
  readonly url: string;
  readonly http: LimitedHttpClient;
  readonly headers: Record<string, string>;
  readonly onAuth: AuthCallback;
}): Promise<RemoteRefs> {
  const { url, http, headers, onAuth } = options;
  const info = await git.getRemoteInfo2({
    http: { request: readWhole(http) },
    url,
    headers,
    onAuth,
    protocolVersion: 1,
  });
  const capabilities = Object.entries(info.capabilities).map(([name, value]) =>
    value === true ? name : `${name}=${value}`,
  );
  const format = info.capabilities['object-format'] ?? 'sha1';
  if (format !== 'sha1') {
    throw new BuildError(
      'not-a-repository',
      `Cannot open "${url}": its object format ${String(format)} is not supported`,
    );
  }
  const wants = new Map<string, string>();
  const refs: Ref[] = [];
  let head: { branch: string | undefined; oid: string | undefined } = { branch: undefined, oid: undefined };
  for (const { ref, oid, peeled, target } of info.refs ?? []) {
    if (ref === 'HEAD') head = { branch: target?.replace(/^refs\/heads\//, ''), oid };
    const kind = ref.startsWith('refs/heads/') ? 'branch' : ref.startsWith('refs/tags/') ? 'tag' : undefined;
    if (kind === undefined) continue;
    const commit = peeled ?? oid;
    refs.push({ name: ref.slice(kind === 'branch' ? 'refs/heads/'.length : 'refs/tags/'.length), kind, oid: commit });
    if (peeled === undefined || !wants.has(commit)) wants.set(commit, oid);
  }
  if (refs.length === 0) throw new BuildError('no-refs', `Repository "${url}" has no commits yet`);
  return { refs, head: chooseHead(refs, head), wants, capabilities };
}

/** isomorphic-git takes a list that was cut off for a short one: the answer is read whole, and its end looked at. */
function readWhole(http: LimitedHttpClient): LimitedHttpClient['request'] {
  return async (request) => {
    const response = await http.request(request);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (
      response.statusCode === 200 &&
      isAdvertisement(bytes) &&
      bytes.toString('latin1', bytes.length - 4) !== '0000'
    ) {
      throw new BuildError('network', `The list of refs of "${http.address()}" was cut off`);
    }
    return { ...response, body: toIterator(bytes) };
  };
}

function isAdvertisement(bytes: Buffer): boolean {
  return bytes.toString('latin1', 4, 13) === '# service';
}

async function* toIterator(bytes: Uint8Array) {
  yield bytes;
}
