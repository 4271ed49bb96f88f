import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';

/** Serves a repository with one branch whose pack never ends; the argument says what it consists of. Prints its port. */
const kind = process.argv[2];

const line = (content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
};
const inBand = (band: number, bytes: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 65_000) {
    parts.push(line(Buffer.concat([Buffer.from([band]), bytes.subarray(at, at + 65_000)])));
  }
  return Buffer.concat(parts);
};

/** Returns a blob that does not compress, as an entry of a pack. */
const createBlob = (size: number): Buffer => {
  const head = [(3 << 4) | (size & 15)];
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    head[head.length - 1]! |= 128;
    head.push(rest & 127);
  }
  return Buffer.concat([Buffer.from(head), deflateSync(randomBytes(size), { level: 0 })]);
};

const PARTS: Readonly<Record<string, () => Buffer>> = {
  small: () => inBand(1, createBlob(2_000)),
  large: () => inBand(1, createBlob(90_000_000)),
  messages: () => inBand(2, Buffer.alloc(60_000, 'Counting objects '.repeat(10))),
};

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/x-git-upload-pack-advertisement');
    const ref = `${'1'.repeat(40)} refs/heads/main`;
    const list = [line('# service=git-upload-pack\n'), Buffer.from('0000'), line(`${ref}\0side-band-64k shallow\n`)];
    response.end(Buffer.concat([...list, Buffer.from('0000')]));
    return;
  }
  request.resume();
  response.setHeader('content-type', 'application/x-git-upload-pack-result');
  response.write(line('NAK\n'));
  const head = Buffer.from('PACK\0\0\0\x02\0\x3d\0\0', 'latin1');
  if (kind !== 'messages') response.write(inBand(1, head));
  sendForEver(response, PARTS[kind ?? '']!());
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

function sendForEver(response: ServerResponse, part: Buffer): void {
  while (!response.destroyed && response.write(part));
  if (!response.destroyed) response.once('drain', () => sendForEver(response, part));
}
