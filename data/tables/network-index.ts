import { type Network, parseNetwork, widenNetwork } from '../blocks/parse-network.ts';

/** Records by the network that they stand for, found by every narrower one. */
export interface NetworkIndex<T> {
  /** Takes one record out and puts another one in; undefined = none. */
  replace(old: T | undefined, now: T | undefined): void;
  /** Whether it holds nothing. */
  readonly isEmpty: boolean;
  /** Gives the records whose network holds this one. */
  find(network: Network): readonly T[];
}

/** Creates an empty index; `networkOf` gives undefined for records that are not in it. One record a network. */
export function createNetworkIndex<T>(networkOf: (record: T) => string | undefined): NetworkIndex<T> {
  const records = new Map<string, T>();
  /** How many networks of each kind and width there are: only these are looked for. */
  const widths: Record<Network['kind'], Map<number, number>> = { ipv4: new Map(), ipv6: new Map() };
  const find = (record: T | undefined): Network | undefined => {
    const text = record === undefined ? undefined : networkOf(record);
    return text === undefined ? undefined : parseNetwork(text);
  };
  const count = ({ kind, bits }: Network, change: number): void => {
    const now = (widths[kind].get(bits) ?? 0) + change;
    if (now === 0) widths[kind].delete(bits);
    else widths[kind].set(bits, now);
  };
  return {
    replace(old, now) {
      const from = find(old);
      const to = find(now);
      if (from && records.delete(from.text)) count(from, -1);
      if (to && !records.has(to.text)) count(to, 1);
      if (to) records.set(to.text, now!);
    },
    get isEmpty() {
      return records.size === 0;
    },
    find(network) {
      const found: T[] = [];
      for (const bits of widths[network.kind].keys()) {
        if (bits > network.bits) continue;
        const record = records.get(widenNetwork(network, bits).text);
        if (record !== undefined) found.push(record);
      }
      return found;
    },
  };
}
