/** Why another server gave no answer, in one word that programs may rely on. */
export type UpstreamErrorCode = 'timeout' | 'too-large' | 'unreachable' | 'unreadable' | 'aborted';

/** Another server gave no answer that can be used; the message names its host and is fit to be shown to a caller. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly code: UpstreamErrorCode;

  constructor(code: UpstreamErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
