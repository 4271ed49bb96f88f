/**
 * Returns the https address of a repository's home page from its clone address (`https://host/o/r.git`,
 * `git@host:o/r.git`, `ssh://git@host:22/o/r`): no `.git`, no credentials. Undefined for anything else.
 */
export function findWebUrl(address: string): string | undefined {
  const short = /^(?:[^/\\@:\s]+@([^/\\@:\s]+)|([^/\\@:\s]+\.[^/\\@:\s]+)):(?!\/\/)\/*(.+)$/.exec(address);
  let url: URL;
  try {
    url = new URL(short === null ? address : `ssh://${short[1] ?? short[2]}/${short[3]}`);
  } catch {
    return undefined;
  }
  if (!/^(https?|ssh|git|git\+ssh):$/.test(url.protocol) || url.hostname === '') return undefined;
  const path = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  if (path === '' || path === '/') return undefined;
  // An SSH or git port says nothing about the web server; an http server on this machine rarely speaks https.
  if (url.protocol === 'http:') return `http://${url.host}${path}`;
  return `https://${url.protocol === 'https:' ? url.host : url.hostname}${path}`;
}
