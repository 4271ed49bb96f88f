const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/**
 * Fetches as `fetch` does, but follows redirects to the same origin only (GitHub answers so for what was renamed), with the
 * same method and body. Throws for redirects to other origins, so that no answer leads requests anywhere else.
 */
export async function fetchOnOrigin(url: string, init: RequestInit): Promise<Response> {
  let address = url;
  for (let hop = 0; ; hop++) {
    const response = await fetch(address, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) return response;
    await response.body?.cancel();
    const next = new URL(location, address);
    if (next.origin !== new URL(url).origin) throw new Error('it redirects to another host');
    if (hop === MAX_REDIRECTS) throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
    address = next.href;
  }
}
