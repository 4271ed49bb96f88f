import type { Contender } from '../measure/measure-in-turn.ts';

/** Another generator on the same pages. Each call lays out its input below a folder and returns what can be measured. */
export interface Peer {
  readonly version: string;
  /** All tags in all languages. */
  all(folder: string): Contender;
  /** The newest tag in all languages. */
  newest(folder: string): Contender;
  /** Where they write to. */
  output(folder: string): string;
}
