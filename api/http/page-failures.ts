import type { FailureShape } from './errors.ts';
import { sendPage } from './pages.ts';

/** Failures where people read pages are pages for browsers; programs get JSON. */
export const pageFailures: FailureShape = {
  covers: (path) => /^\/(?:docs|docbuild\/(?:projects|builds))(?:\/|$)/.test(path),
  present(ctx, { status, message, extra }) {
    ctx.vary('Accept');
    if (ctx.accepts('json', 'html') === 'html') {
      sendPage(ctx, 'error.njk', { status, message });
      ctx.set('Cache-Control', 'no-store');
    } else ctx.body = { success: false, message, ...extra };
  },
};
