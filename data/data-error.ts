/** What went wrong, as a word that programs may rely on. */
export type DataErrorCode =
  /** A record of this name, domain or id exists already. */
  | 'taken'
  | 'not-found'
  /** Input that is not allowed. */
  | 'invalid'
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

  constructor(code: DataErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
