import type { Phrase } from '../lib/phrase.ts';

/** What went wrong, as a word that programs may rely on. */
export type DataErrorCode =
  /** A record of this name, domain or id exists already. */
  | 'taken'
  | 'not-found'
  /** Input that is not allowed. */
  | 'invalid'
  /** Allowed as such, but not as things stand: the limit is reached, it was done before. */
  | 'refused'
  /** Another process owns the files, or too many requests wait. */
  | 'busy'
  /** A file is damaged and cannot be set aside. */
  | 'damaged'
  /** The file system refused. */
  | 'unwritable';

/** An error that the caller can do something about; its message may be shown. */
export class DataError extends Error {
  override readonly name = 'DataError';
  readonly code: DataErrorCode;
  /** The message for whoever asked; `message` is the English one. */
  readonly wording: string | Phrase;

  constructor(code: DataErrorCode, wording: string | Phrase, options?: ErrorOptions) {
    super(String(wording), options);
    this.code = code;
    this.wording = wording;
  }
}
