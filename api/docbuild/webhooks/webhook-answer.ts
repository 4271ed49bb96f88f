import type { Build } from '../../../data/records/build.ts';
import { quoteName } from '../../../lib/quote-name.ts';
import type { PushedRef } from './parse-ref.ts';

/** What a webhook call is answered with. */
export interface WebhookAnswer {
  readonly status: 200 | 201;
  readonly body: {
    readonly success: boolean;
    readonly message: string;
    readonly ping?: 'pong';
    readonly branch?: string;
    readonly build?: Pick<Build, 'id' | 'status'>;
  };
}

/** Answers that a build is on its way, or was. */
export function answerBuild(branch: string, { id, status }: Build): WebhookAnswer {
  return { status: 201, body: { success: true, message: '', branch, build: { id, status } } };
}

/** Answers that the ref is excluded from building. */
export function answerExcluded(branch: string): WebhookAnswer {
  return { status: 200, body: { success: false, message: 'excluded branch', branch } };
}

/** Answers that nothing is built, and why. */
export function answerIgnored(why: string): WebhookAnswer {
  return { status: 200, body: { success: true, message: `ignored: ${why}` } };
}

/** Answers a ping. */
export function answerPing(): WebhookAnswer {
  return { status: 200, body: { success: true, message: '', ping: 'pong' } };
}

/** Answers that a ref is gone; its version goes with it where it has one. */
export function answerRemoval({ ref, refKind }: PushedRef, hasVersion: boolean): WebhookAnswer {
  const then = hasVersion ? 'its version is being removed from the site' : 'it has no version';
  return answerIgnored(`${refKind} ${quoteName(ref)} was deleted; ${then}`);
}
