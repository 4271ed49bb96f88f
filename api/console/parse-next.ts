/** Where everybody goes who asked for nothing in particular. */
export const HOME = '/control/';
const ORIGIN = 'http://console.invalid';
const MAX_LENGTH = 2_000;

/** Returns the page to go to behind the login: a path of the console with its query, whatever the text says. */
export function parseNext(text: string | undefined | null): string {
  if (!text || text.length > MAX_LENGTH || !/^\/control\//.test(text) || !URL.canParse(text, ORIGIN)) return HOME;
  const { origin, pathname, search } = new URL(text, ORIGIN);
  const isBelow =
    origin === ORIGIN && pathname.startsWith(HOME) && !/^\/control\/(?:login|logout|register)\b/.test(pathname);
  return isBelow ? pathname + search : HOME;
}
