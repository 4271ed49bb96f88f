import ipaddr from 'ipaddr.js';

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };
type Node = [Node | number | undefined, Node | number | undefined];

/** Returns an `.mmdb` file for IPv4 and IPv6 (or IPv4 alone): networks in CIDR notation and what is known of them. */
export function createMmdb(networks: Readonly<Record<string, Value>>, ipVersion: 4 | 6 = 6): Buffer {
  const root: Node = [undefined, undefined];
  const data: Buffer[] = [];
  let length = 0;
  for (const [network, value] of Object.entries(networks)) {
    insert(root, toBits(network, ipVersion), length);
    const bytes = encode(value);
    data.push(bytes);
    length += bytes.length;
  }
  const nodes: Node[] = [root];
  const numbers = new Map<Node, number>([[root, 0]]);
  for (const node of nodes) {
    for (const child of node) {
      if (!Array.isArray(child)) continue;
      numbers.set(child, nodes.length);
      nodes.push(child);
    }
  }
  const count = nodes.length;
  const tree = Buffer.alloc(count * 8);
  for (const [i, node] of nodes.entries()) {
    for (const [side, child] of node.entries()) {
      const record = child === undefined ? count : Array.isArray(child) ? numbers.get(child)! : count + 16 + child;
      tree.writeUInt32BE(record, i * 8 + side * 4);
    }
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'Test',
    description: { en: 'Test' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: count,
    record_size: 32,
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), metadata]);
}

function toBits(network: string, ipVersion: 4 | 6): readonly number[] {
  const [address, prefix] = ipaddr.parseCIDR(network);
  const bytes = address.toByteArray();
  const all = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, i) => (byte >> (7 - i)) & 1));
  const zeros = ipVersion === 6 && bytes.length === 4 ? Array.from({ length: 96 }, () => 0) : [];
  return [...zeros, ...all.slice(0, prefix)];
}

function insert(root: Node, bits: readonly number[], place: number): void {
  let node = root;
  for (const [i, bit] of bits.entries()) {
    if (i === bits.length - 1) {
      node[bit] = place;
      return;
    }
    const child = node[bit];
    const next: Node = Array.isArray(child) ? child : [undefined, undefined];
    node[bit] = next;
    node = next;
  }
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'boolean') return control(14, value ? 1 : 0);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value as { readonly [key: string]: Value });
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([key, item]) => [encode(key), encode(item)])]);
}

function control(type: number, size: number): Buffer {
  const low = Math.min(size, 29);
  const bytes = type > 7 ? [low, type - 7] : [(type << 5) | low];
  if (size >= 29 + 256) throw new Error('Too long for a test');
  return Buffer.from(size >= 29 ? [...bytes, size - 29] : bytes);
}
