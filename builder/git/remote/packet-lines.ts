import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { AnswerError, endedTooEarly } from './remote-errors.ts';

/** A packet: its content, or one of the two separators. */
export type Packet = Buffer | 'flush' | 'delimiter';

const FLUSH = '0000';
const DELIMITER = '0001';

/** Returns a line of text, or bytes, as a packet: its length in four hexadecimal digits in front. */
export function encodePacket(content: string | Packet): Buffer {
  if (content === 'flush' || content === 'delimiter') return Buffer.from(content === 'flush' ? FLUSH : DELIMITER);
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

export interface PacketReader {
  /** Returns the next packet, undefined at the end. Throws `AnswerError` when the answer ends within a packet. */
  next(): Promise<Packet | undefined>;
  /** Returns whether the answer continues with these characters, which may be no packet. */
  continuesWith(text: string): Promise<boolean>;
  /** Returns the rest of an answer that does not continue in packets. */
  rest(): AsyncIterable<Buffer>;
  /** Gives up the rest of the answer: a connection that stays open would keep the process from ending. */
  close(): Promise<void>;
}

/** Creates a reader of packets. Format: git's Documentation/gitprotocol-common, "pkt-line Format". */
export function createPacketReader(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): PacketReader {
  const source = toAsync(chunks);
  let buffered: Buffer = Buffer.alloc(0);

  /** Waits until this many bytes are available; false if the answer ends earlier. */
  const fill = async (wanted: number): Promise<boolean> => {
    if (buffered.length >= wanted) return true;
    const parts = [buffered];
    let length = buffered.length;
    while (length < wanted) {
      const { value, done } = await source.next();
      if (done) break;
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      length += value.byteLength;
    }
    buffered = Buffer.concat(parts, length);
    return length >= wanted;
  };
  return {
    async next() {
      if (!(await fill(4))) {
        if (buffered.length === 0) return undefined;
        throw endedTooEarly();
      }
      const digits = buffered.toString('latin1', 0, 4);
      const length = /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
      if (length === 0 || length === 1) {
        buffered = buffered.subarray(4);
        return length === 0 ? 'flush' : 'delimiter';
      }
      if (length < 4) throw new AnswerError(`sent ${JSON.stringify(digits)} where a line should begin`);
      if (!(await fill(length))) throw endedTooEarly();
      const content = buffered.subarray(4, length);
      buffered = buffered.subarray(length);
      return content;
    },
    async continuesWith(text) {
      return (await fill(text.length)) && buffered.toString('latin1', 0, text.length) === text;
    },
    async *rest() {
      if (buffered.length > 0) yield buffered;
      buffered = Buffer.alloc(0);
      for await (const value of source) yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    },
    async close() {
      await source.return();
    },
  };
}

/** Returns all packets there are. Throws `AnswerError`. */
export async function readPackets(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<readonly Packet[]> {
  const reader = createPacketReader(chunks);
  const packets: Packet[] = [];
  try {
    for (let packet = await reader.next(); packet !== undefined; packet = await reader.next()) {
      packets.push(packet);
      const turn = yieldToEventLoop();
      if (turn) await turn;
    }
  } finally {
    await reader.close();
  }
  return packets;
}

async function* toAsync(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunks;
}
