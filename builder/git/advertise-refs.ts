/**
 * Gives the bytes of a server's list of refs (`info/refs`, protocol 1) that offers just the given objects. What
 * isomorphic-git finds in this list it fetches, all by one request, and no name from the server gets to it.
 * Format: git's Documentation/gitprotocol-http and gitprotocol-pack.
 */
export function advertiseRefs(oids: readonly string[], capabilities: readonly string[]): Buffer {
  const lines = [`${oids[0]} HEAD`, ...oids.map((oid) => `${oid} refs/heads/${oid}`)];
  const offered = capabilities.filter((name) => !name.startsWith('symref'));
  return Buffer.concat([
    encodeLine('# service=git-upload-pack\n'),
    Buffer.from('0000'),
    ...lines.map((line, index) => encodeLine(index === 0 ? `${line}\0${offered.join(' ')}\n` : `${line}\n`)),
    Buffer.from('0000'),
  ]);
}

function encodeLine(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}
