/** What an `ApiError` has besides status and message. */
export interface ApiErrorOptions extends ErrorOptions {
  readonly expose?: boolean;
  /** What goes into the answer besides `success` and `message`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure that is answered with its HTTP status and message; the error middleware presents it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** What went wrong, in one word that programs may rely on. */
  readonly code: string;
  /** Whether the message is fit for the caller. */
  readonly expose: boolean;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.code = code;
    this.expose = options.expose ?? status < 500;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
  }
}
