import type { FailureShape } from '../http/errors.ts';
import { sendConsolePage } from './send-console-page.ts';

/** What the router finds, by its code; a page for operators looks the same to others as one that does not exist. */
const ROUTER_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['not-found', 'Page not found'],
  ['wrong-method', 'This URL only receives forms of the console'],
]);

/** Failures of the console are pages. */
export const consoleFailures: FailureShape = {
  covers: (path) => /^\/control(?:\/|$)/.test(path),
  present(ctx, { status, code, message, isOwn }) {
    const text = isOwn ? message : (ROUTER_MESSAGES.get(code) ?? message);
    sendConsolePage(ctx, 'error.njk', { status, message: text });
  },
};
