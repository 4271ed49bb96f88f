import { hostname } from 'node:os';

/** Returns the name of this process among others, in its log and in lists: `web-1:4711`. */
export function nameNode(): string {
  return `${hostname()}:${process.pid}`;
}
