import type { QuotaState } from '../../data/quotas/quotas.ts';

/** Seconds of each window; a day is called so though it may have 23 or 25 hours. */
const WINDOW_S = { day: 86_400, minute: 60 } as const;

/**
 * Returns the headers that tell a caller where it stands: `RateLimit-Policy` and `RateLimit`
 * (draft-ietf-httpapi-ratelimit-headers-11: structured fields, `q` quota, `w` window, `r` remaining, `t` seconds) and the
 * older `RateLimit-Limit`, `-Remaining` and `-Reset` that most clients read. `Retry-After` where a wait is given.
 */
export function rateLimitHeaders(
  { window, limit, remaining, resetS }: QuotaState,
  retryAfterS?: number,
): Readonly<Record<string, string>> {
  return {
    'RateLimit-Policy': `"${window}";q=${limit};w=${WINDOW_S[window]}`,
    RateLimit: `"${window}";r=${remaining};t=${resetS}`,
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetS),
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
  };
}
