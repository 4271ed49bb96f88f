/** The search engines that are asked; see the contract for which is which. */
export type EngineName = 'alpha' | 'beta';

/** An address that a search engine was found to have. */
export interface Inclusion {
  readonly engine: EngineName;
  /** The address without what does not tell pages apart, see `comparableUrl`. */
  readonly url: string;
  /** When the engine last said so. ISO 8601, UTC, with milliseconds. */
  readonly foundAt: string;
}
