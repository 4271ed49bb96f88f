/** Returns Alpha's JSON with results at these addresses. */
export function alphaJson(urls: readonly string[], values: object = {}): string {
  const entry = urls.map((url, i) => ({
    title: 'T &amp; x',
    url,
    abs: '…',
    time: 1_754_991_887,
    pn: i + 1,
    ...values,
  }));
  return JSON.stringify({ feed: { all: urls.length, resultnum: urls.length, pn: 0, entry: [...entry, {}] } });
}

/** Returns Alpha's page with results at these addresses, and something else in it. */
export function alphaHtml(urls: readonly string[], more = ''): string {
  const results = urls.map(
    (url, i) =>
      `<div class="result c-container xpath-log new-pmd" id="${i + 1}" mu="${escapeHtml(url)}"><h3 class="t"><a href="http://www.baidu.com/link?url=x${i}">A <em>title</em></a></h3><span class="c-abstract">Words &amp; words</span></div>`,
  );
  return `<!DOCTYPE html><html><head><title>x_搜索</title></head><body><div id="wrapper">${more}<div id="content_left">${results.join('\n')}</div></div></body></html>`;
}

/** Returns Beta's RSS with items at these addresses. */
export function betaRss(urls: readonly string[]): string {
  const items = urls.map(
    (url) =>
      `<item><title>A title</title><link>${escapeHtml(url)}</link><description>Words</description><pubDate>周三, 12 3月 2025 04:05:00 GMT</pubDate></item>`,
  );
  return `<?xml version="1.0" encoding="utf-8" ?><rss version="2.0"><channel><title>q</title><link>http://www.beta.example:80/search?q=q</link><description>Results</description><image><url>http://www.beta.example/s/a/rsslogo.gif</url><title>q</title><link>https://image.example/</link></image><copyright>x</copyright>${items.join('')}</channel></rss>`;
}

/** Returns Beta's page with results that link to these addresses, and something else in it. */
export function betaHtml(hrefs: readonly string[], more = ''): string {
  const results = hrefs.map(
    (href) =>
      `<li class="b_algo"><div class="b_tpcn"><a class="tilk" href="https://elsewhere.example/">x</a></div><h2><a target="_blank" href="${escapeHtml(href)}">A <strong>title</strong></a></h2><div class="b_caption"><p>Words</p></div></li>`,
  );
  return `<!doctype html><html><head><title>q</title></head><body><main><ol id="b_results">${results.join('')}${more}</ol></main></body></html>`;
}

/** Returns Beta's counting link to an address. */
export function countingLink(url: string): string {
  return `https://www.bing.com/ck/a?!&&p=0a1b&ptn=3&hsh=4&u=a1${Buffer.from(url).toString('base64url')}&ntb=1`;
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
