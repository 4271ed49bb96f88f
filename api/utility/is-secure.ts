import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Tells whether the caller came by TLS, to us or, as the trusted proxies say (X-Forwarded-Proto), to the outermost one. */
export function isSecure(request: IncomingMessage, trustedProxies: number): boolean {
  if ((request.socket as Partial<TLSSocket>).encrypted) return true;
  if (trustedProxies === 0) return false;
  const entries = String(request.headers['x-forwarded-proto'] ?? '').split(',');
  return entries.slice(-trustedProxies)[0]?.trim().toLowerCase() === 'https';
}
