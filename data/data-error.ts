/** What went wrong, in one word that programs may rely on. */
export type DataErrorCode =
  /** A record of this name, domain or id exists already. */
  | 'taken'
  | 'not-found'
  /** Input that a record cannot hold. */
  | 'invalid'
  /** Another process owns the files. */
  | 'busy'
  /** A file holds no JSON of the expected shape, and there is no good copy. */
  | 'damaged'
  /** The file system refused. */
  | 'unwritable';

/** An error that the one who asked can do something about; its message is fit to be shown. */
export class DataError extends Error {
  override readonly name = 'DataError';
  readonly code: DataErrorCode;

  constructor(code: DataErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
