/** Longer pages are not compared. */
const MAX_LENGTH = 8_000_000;
const TIMEOUT_MS = 20_000;

/** Why a page cannot be had: it is not there; it is too long; anything else. */
export type LoadFailure = 'missing' | 'long' | 'failed';

/** Loads a page of the site as it was published, without what scripts have added. Links and pictures of another page than the one at hand have full addresses. */
export async function loadPage(address: string): Promise<Document | LoadFailure> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.status === 404 || response.status === 410) return 'missing';
    if (!response.ok) return 'failed';
    const text = await response.text();
    if (text.length > MAX_LENGTH) return 'long';
    const page = new DOMParser().parseFromString(text, 'text/html');
    // What is written on the page at hand leads from there.
    const names = new URL(response.url).pathname === location.pathname ? [] : ['src', 'href', 'poster'];
    for (const name of names) {
      for (const element of page.querySelectorAll(`#_content [${name}]`)) {
        const value = element.getAttribute(name)!;
        if (value.startsWith('#') || !URL.canParse(value, response.url)) continue;
        element.setAttribute(name, new URL(value, response.url).href);
      }
    }
    return page;
  } catch {
    return 'failed';
  }
}
