/**
 * Adds the capability `thin-pack` to a request for a pack. isomorphic-git reads such packs but never asks for one; and
 * to a client without history, a git server leaves out what the client has only when it does: without it a push of
 * one changed line would bring the whole tree anew. The request's first line is `<length in hex>want <oid> <capabilities>`.
 */
export function requestThinPack(request: Buffer): Buffer {
  const end = Number.parseInt(request.toString('latin1', 0, 4), 16);
  const line = request.toString('latin1', 4, end);
  if (!/^want [0-9a-f]{40} [^\n]+\n$/.test(line)) return request;
  const extended = line.replace('\n', ' thin-pack\n');
  const length = (extended.length + 4).toString(16).padStart(4, '0');
  return Buffer.concat([Buffer.from(length + extended), request.subarray(end)]);
}
