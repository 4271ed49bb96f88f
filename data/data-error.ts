import type { Phrase } from '../lib/phrase.ts';

/** Kinds of failures; `platform/failures/error-codes.ts` says what each means. */
export type DataErrorCode = 'taken' | 'not-found' | 'invalid' | 'refused' | 'busy' | 'damaged' | 'unwritable';

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
