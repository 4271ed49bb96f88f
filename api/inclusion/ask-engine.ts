import type { Upstream } from '../upstream/create-upstream.ts';
import { UpstreamError, type UpstreamErrorCode } from '../upstream/upstream-error.ts';
import { decodeBody } from './decode-body.ts';
import type { Engine, EngineMethod } from './engine.ts';
import { type FollowedAnswer, followRedirects } from './follow-redirects.ts';
import type { Target } from './parse-target.ts';
import { decide, type Verdict } from './result-page.ts';

const REASONS: Readonly<Record<UpstreamErrorCode, string>> = {
  timeout: 'no answer in time',
  'too-large': 'an answer that is too large',
  unreachable: 'no connection',
  unreadable: 'an answer that cannot be read',
  aborted: 'no answer in time',
};
const STATUS_REASONS: ReadonlyMap<number, string> = new Map([
  [403, 'a refusal (403)'],
  [429, 'that it is asked too often (429)'],
]);

/** Asks a search engine by one method about an address. Whatever goes wrong there is a verdict, too. */
export async function askEngine(
  upstream: Upstream,
  options: {
    readonly engine: Engine;
    readonly method: EngineMethod;
    readonly target: Target;
    readonly userAgent: string;
    readonly signal: AbortSignal;
  },
): Promise<Verdict> {
  const { engine, method, target, userAgent, signal } = options;
  let followed: FollowedAnswer | undefined;
  try {
    followed = await followRedirects(upstream, method.address(engine.queryText(target)), {
      isSameService: engine.isSameService,
      headers: { 'user-agent': userAgent, accept: '*/*', 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' },
      signal,
    });
  } catch (error) {
    if (error instanceof UpstreamError) return failed(REASONS[error.code]);
    throw error;
  }
  if (!followed) return failed('a redirect to another page, such as a captcha');
  const { url, answer } = followed;
  if (answer.status !== 200) return failed(STATUS_REASONS.get(answer.status) ?? `status ${answer.status}`);
  const text = decodeBody(answer.body, answer.headers.get('content-type') ?? '');
  if (text.trim() === '') return failed('an empty page');
  return decide(method.read(text, url), target);
}

function failed(reason: string): Verdict {
  return { state: 'failed', reason };
}
