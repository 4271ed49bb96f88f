/** A failure that is answered with its HTTP status and message; the error middleware presents it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** What went wrong, in one word that programs may rely on. */
  readonly code: string;
  /** Whether the message is fit for the caller. */
  readonly expose: boolean;

  constructor(status: number, code: string, message: string, options?: ErrorOptions & { readonly expose?: boolean }) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.expose = options?.expose ?? status < 500;
  }
}
