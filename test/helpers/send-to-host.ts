import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** An answer with its whole body. */
export interface HostAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request to a server as if it were at another host; a form is encoded as one. */
export async function sendToHost(
  origin: string,
  asked: {
    readonly host: string;
    readonly path: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly form?: Readonly<Record<string, string>> | URLSearchParams;
    /** A body of another kind. */
    readonly body?: string;
  },
): Promise<HostAnswer> {
  const { host, path, form, body, method = form ? 'POST' : 'GET', headers = {} } = asked;
  const type = form ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {};
  const sent = request(origin + path, { method, headers: { ...type, ...headers, Host: host } });
  sent.end(form ? new URLSearchParams(form).toString() : body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
}
