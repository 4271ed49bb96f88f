import { type AddressInfo, createServer, connect as open, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What lies between a reader and a server. */
export interface Link {
  /** From one end to the other and back, ms. */
  readonly roundTripMs: number;
  /** In either direction, for all connections together. */
  readonly kbits: number;
}

/**
 * Puts a slow link in front of a local server, for bytes as they are: unlike what browsers emulate, it also holds for what they request
 * ahead. A connection costs a round trip. Returns the port that leads to the server.
 */
export async function openSlowLink(target: number, link: Link): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const [towards, back] = [createLane(link), createLane(link)];
  const server = createServer((reader) => {
    const site = open(target, '127.0.0.1');
    for (const socket of [reader, site]) {
      sockets.add(socket.setNoDelay(true).on('error', () => {}));
      socket.once('close', () => sockets.delete(socket));
    }
    // The handshake.
    setTimeout(() => {
      carry(reader, site, towards);
      carry(site, reader, back);
    }, link.roundTripMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns a function that runs a step when bytes that are sent now have arrived, in the order of its calls. */
function createLane({ roundTripMs, kbits }: Link): Lane {
  let freeAt = 0;
  let last: Promise<unknown> = Promise.resolve();
  return (bytes, step) => {
    freeAt = Math.max(performance.now(), freeAt) + (bytes * 8) / kbits;
    const arrival = sleep(freeAt - performance.now() + roundTripMs / 2);
    last = Promise.all([arrival, last]).then(step);
  };
}

type Lane = (bytes: number, step: () => unknown) => void;

/** Bytes that a link carries at once: others get a turn in between. */
const PACKET = 1_460;

function carry(from: Socket, to: Socket, lane: Lane): void {
  from.on('data', (data: Buffer) => {
    for (let at = 0; at < data.length; at += PACKET) {
      const packet = data.subarray(at, at + PACKET);
      lane(packet.length, () => to.writable && to.write(packet));
    }
  });
  from.once('end', () => lane(0, () => to.end()));
  from.once('close', () => lane(0, () => to.destroy()));
}
