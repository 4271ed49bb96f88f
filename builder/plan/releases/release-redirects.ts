import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { pageAddress } from '../../compose/navigation.ts';
import { safeUrl } from '../../compose/safe-url.ts';
import { parseAddress } from '../../source/pages/page-address.ts';
import type { LinkOutcome } from '../links/link-scope.ts';
import { splitUrl } from '../links/resolve-url.ts';
import type { Redirect } from './path-registry.ts';

/** Where a redirect leads; without a URL it is left out. */
export interface RedirectTarget {
  readonly url: string | undefined;
  readonly file: string | undefined;
  readonly problem: LinkOutcome['problem'];
}

/**
 * Returns where a redirect of a release leads, through other redirects, of which readers thus see one at most. `resolve` resolves a link
 * from the release's root, to which `root` leads from the place of the redirect.
 */
export function resolveRedirect(
  { from, to }: Redirect,
  redirects: ReadonlyMap<string, Redirect>,
  { root, resolve }: { readonly root: string; readonly resolve: (url: string) => LinkOutcome },
): RedirectTarget {
  const seen = new Set<Redirect>();
  let target = to;
  for (;;) {
    if (typeof target !== 'string')
      return { url: root + pageAddress(target.output), file: undefined, problem: undefined };
    if (isAbsoluteUrl(target)) {
      if (safeUrl(target) === target) return { url: target, file: undefined, problem: undefined };
      return leaveOut(`"${target.slice(0, 200)}" is not an address that a redirect may lead to`);
    }
    const outcome = resolve(target);
    const { path, fragment } = splitUrl(target);
    const output = outcome.problem?.code === 'dead-link' ? parseAddress(path, '') : undefined;
    const next = output === undefined ? undefined : redirects.get(output);
    if (!next) return { ...outcome, problem: describe(outcome.problem) };
    if (seen.has(next)) return leaveOut(`it leads in a circle through "${next.from}"`);
    seen.add(next);
    target =
      typeof next.to === 'string' && fragment !== undefined && !next.to.includes('#')
        ? `${next.to}#${fragment}`
        : next.to;
  }

  function describe(problem: LinkOutcome['problem']): LinkOutcome['problem'] {
    return problem && { ...problem, message: `Redirect from "${from}": ${problem.message}` };
  }

  function leaveOut(reason: string): RedirectTarget {
    const message = `Redirect from "${from}" ignored: ${reason}`;
    return { url: undefined, file: undefined, problem: { code: 'bad-address', message } };
  }
}
