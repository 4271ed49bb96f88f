import { parseAlphaHtml, parseAlphaJson } from '../../../api/inclusion/alpha.ts';
import { parseBetaHtml, parseBetaRss } from '../../../api/inclusion/beta.ts';
import { decide, type ResultPage, type Verdict } from '../../../api/inclusion/engine.ts';
import { parseTarget } from '../../../api/inclusion/inclusion-query.ts';
import { alphaHtml, alphaJson, betaHtml, betaRss, countingLink } from '../../helpers/engine-pages.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';
import test from '../../helpers/serial-test.ts';

const url = 'https://page.example/guide/a.html?x=1&y=2';
const other = 'https://other.example/';
const target = parseTarget(url);
const base = new URL('https://www.beta.example/search?q=q');

const readers = { parseAlphaJson, parseAlphaHtml, parseBetaRss, parseBetaHtml } as const;
type Reader = keyof typeof readers;
type Row = readonly [reader: Reader, what: string, text: string];
const check = (state: Verdict['state'], rows: readonly Row[]): void => {
  for (const [reader, what, text] of rows) {
    test(`${reader}() and decide(): ${what} is ${state}`, (t) => {
      const page: ResultPage = readers[reader](text, base);
      t.is(decide(page, target).state, state);
    });
  }
};
const captchaForm = '<form action="/turing/captcha/challenge" method="post"></form>';

check('indexed', [
  ['parseAlphaJson', 'a result', alphaJson([other, url])],
  ['parseAlphaJson', 'an address escaped as HTML', alphaJson([url.replaceAll('&', '&amp;')])],
  [
    'parseAlphaJson',
    'another way to write the address',
    alphaJson(['http://www.Page.example:80/guide/a.html/?x=1&y=2#z']),
  ],
  ['parseAlphaJson', 'time 0', alphaJson([url], { time: 0 })],
  ['parseAlphaJson', 'an entry without time', alphaJson([url], { time: undefined })],
  ['parseAlphaJson', 'raw control characters', alphaJson([url]).replace('…', 'a\u0001\tb\nc')],
  [
    'parseAlphaJson',
    'illegal backslashes',
    alphaJson([url]).replace('…', 'C:\\windows \\x41 \\ua \\\\ \\" \\').replace('\\"', "\\'").replace('\\",', '\\ ",'),
  ],
  ['parseAlphaJson', 'backslashes before capitals', alphaJson([url]).replace('…', 'C:\\New\\Temp \\U0041 \\u00G1')],
  ['parseAlphaJson', 'a byte order mark', `\u{feff}${alphaJson([url])}`],
  [
    'parseAlphaJson',
    'nonsense between results',
    `{"feed":{"all":"3","entry":[null,0,"x",[],{},{"url":7},{"url":"${url}","time":1}]}}`,
  ],
  ['parseAlphaHtml', 'a result', alphaHtml([other, url])],
  ['parseAlphaHtml', 'a special result', alphaHtml([url]).replace('class="result ', 'class="result-op ')],
  ['parseAlphaHtml', 'a result below a miss', alphaHtml([url], '<p>没有找到该URL</p>')],
  ['parseAlphaHtml', 'a result beside the word', alphaHtml([url], '<p>百度安全验证 captcha</p>')],
  ['parseBetaRss', 'an item', betaRss([other, url])],
  [
    'parseBetaRss',
    'an item in CDATA',
    betaRss([other]).replace(/<item>.*<\/item>/, `<item><link><![CDATA[${url}]]></link></item>`),
  ],
  ['parseBetaRss', 'an item with a counting link', betaRss([countingLink(url)])],
  ['parseBetaHtml', 'a direct link', betaHtml([other, url])],
  ['parseAlphaHtml', 'a result of a page that ends in the middle', alphaHtml([other, url]).slice(0, -100)],
  ['parseBetaHtml', 'a result of a page that ends in the middle', betaHtml([other, url]).slice(0, -60)],
  ['parseBetaHtml', 'a counting link', betaHtml([other, countingLink(url)])],
  [
    'parseBetaHtml',
    'a counting link of the same host',
    betaHtml([countingLink(url).replace('https://www.bing.com', '')]),
  ],
  ['parseBetaHtml', 'a result beside nothing', betaHtml([url], '<li class="b_no">There are no results</li>')],
]);

check('not-indexed', [
  ['parseAlphaJson', 'only other results', alphaJson([other, 'https://page.example/guide/'])],
  ['parseAlphaJson', 'no result', '{"feed":{"all":0,"resultnum":0,"pn":0,"entry":[{}]}}'],
  ['parseAlphaJson', 'no entry', '{"feed":{"all":0}}'],
  ['parseAlphaJson', 'time ""', alphaJson([url], { time: '' })],
  ['parseAlphaJson', 'the address in a text', alphaJson([other], { title: url, abs: url })],
  ['parseAlphaHtml', 'only other results', alphaHtml([other])],
  [
    'parseAlphaHtml',
    'a miss above unrelated results',
    alphaHtml([other], '<p>很抱歉，没有找到该URL。您可以直接访问</p>'),
  ],
  [
    'parseAlphaHtml',
    'a miss (没有找到该URL)',
    alphaHtml([], `<p>没有找到该URL。您可以直接访问 <a href="${url}">${url}</a></p>`),
  ],
  [
    'parseAlphaHtml',
    'a miss (很抱歉)',
    alphaHtml([], '<div class="nors"><p>很抱歉，没有找到与<em>“x”</em>相关的网页。</p></div>'),
  ],
  ['parseAlphaHtml', 'a miss (约0个)', alphaHtml([], '<span>百度为您找到相关结果约<b> 0 </b>个</span>')],
  [
    'parseAlphaHtml',
    'the word in a snippet',
    alphaHtml([other]).replace('Words', '百度安全验证 captcha 网络不给力，请稍后重试'),
  ],
  [
    'parseAlphaHtml',
    'the address outside of results',
    alphaHtml([other], `<div class="result c-container" mu="${url}"></div>`),
  ],
  ['parseBetaRss', 'unrelated items', betaRss([other])],
  ['parseBetaRss', 'no item', betaRss([])],
  ['parseBetaRss', 'the address of the image', betaRss([other]).replace('https://image.example/', url)],
  [
    'parseBetaRss',
    'the word in an item',
    betaRss([other]).replace('Words', 'captcha &lt;form action="/turing/captcha/challenge"&gt;'),
  ],
  ['parseBetaHtml', 'only other results', betaHtml([other, countingLink(`${url}3`)])],
  ['parseAlphaHtml', 'a page with a comment after its end', `${alphaHtml([other])}\n<!-- 20260315 -->`],
  ['parseBetaHtml', 'nothing', betaHtml([], '<li class="b_no"><h1>There are no results</h1></li>')],
  [
    'parseBetaHtml',
    'the word in a snippet',
    betaHtml([other]).replace('Words', 'Captcha <b class="captcha">captcha</b>'),
  ],
  [
    'parseBetaHtml',
    'an advert for the address',
    betaHtml([other], `<li class="b_ad"><h2><a href="${url}">x</a></h2></li>`),
  ],
  ['parseBetaHtml', 'a link in a snippet', betaHtml([other]).replace('Words', `<a href="${url}">x</a>`)],
]);

check('failed', [
  ['parseAlphaJson', 'a page of HTML', alphaHtml([url])],
  ['parseAlphaJson', 'garbage', '{"feed":{"all":1,"entry":[{'],
  ['parseAlphaJson', 'another object', '{"errno":1,"msg":"captcha"}'],
  ['parseAlphaJson', 'a feed without entries', '{"feed":{}}'],
  ['parseAlphaJson', 'results that are not there', '{"feed":{"all":7,"resultnum":7,"entry":[{}]}}'],
  ['parseAlphaJson', 'null', 'null'],
  ['parseAlphaJson', 'a list', '[1]'],
  ['parseAlphaJson', 'names of objects', '{"__proto__":{"feed":{"all":0}},"constructor":{}}'],
  [
    'parseAlphaHtml',
    'a captcha',
    '<html><head><title>百度安全验证</title></head><body><div>没有找到该URL</div></body></html>',
  ],
  [
    'parseAlphaHtml',
    'nothing but a link to a captcha',
    '<a href="https://wappass.baidu.com/static/captcha/tuxing.html?ak=1">Found</a>.',
  ],
  ['parseAlphaHtml', 'overload', '<html><body><p>网络不给力，请稍后重试</p><p>返回首页</p></body></html>'],
  [
    'parseAlphaHtml',
    'the home page',
    '<html><head><title>百度一下，你就知道</title></head><body><form id="form" action="/s"></form></body></html>',
  ],
  [
    'parseAlphaHtml',
    'a miss that only a script tells',
    '<html><body><script>var t="没有找到该URL"</script></body></html>',
  ],
  ['parseAlphaHtml', 'a page that ends in the middle', alphaHtml([other, url]).slice(0, -300)],
  [
    'parseAlphaHtml',
    'a miss in a page that ends in the middle',
    alphaHtml([], '<p>没有找到该URL</p>').replace('</html>', ''),
  ],
  [
    'parseAlphaHtml',
    'a page that ends in the middle after a script about its end',
    alphaHtml([other], '<script>"</html>"</script>').replace(/<\/html>$/, ''),
  ],
  ['parseBetaHtml', 'a page that ends in the middle', betaHtml([other, url]).slice(0, -150)],
  ['parseBetaHtml', 'a page that ends after all other results', betaHtml([other]).replace('</html>', '')],
  [
    'parseBetaHtml',
    'nothing in a page that ends in the middle',
    betaHtml([], '<li class="b_no"></li>').replace('</html>', ''),
  ],
  ['parseAlphaHtml', '10 results that are not there', alphaHtml([], '找到相关结果约10个')],
  ['parseAlphaHtml', 'results without addresses', alphaHtml([other]).replace(/ mu="[^"]*"/g, '')],
  ['parseBetaRss', 'a page of HTML', betaHtml([url])],
  ['parseBetaRss', 'another feed', '<feed><entry><link>x</link></entry></feed>'],
  ['parseBetaRss', 'a feed cut off', betaRss([other, url]).slice(0, -120)],
  ['parseBetaRss', 'an item without a link', betaRss([other]).replace(/<item>.*?<\/link>/, '<item>')],
  ['parseBetaRss', 'an item with an empty link', betaRss([other, ''])],
  ['parseBetaRss', 'an item whose link is no address', betaRss([other]).replace(`<link>${other}`, '<link>&u;')],
  ['parseBetaRss', 'nothing in it', '<rss version="2.0"></rss>'],
  ['parseBetaRss', 'garbage', '\u0000\u0001<<>>'],
  ['parseBetaHtml', 'a captcha (form)', `<html><body>${captchaForm}</body></html>`],
  ['parseBetaHtml', 'a captcha (id)', '<html><body><div id="b_captcha"></div></body></html>'],
  ['parseBetaHtml', 'a captcha (class)', '<html><body><div class="x captcha"></div></body></html>'],
  ['parseBetaHtml', 'a captcha beside other results', betaHtml([other]).replace('<main>', `<main>${captchaForm}`)],
  [
    'parseBetaHtml',
    'a captcha beside nothing',
    betaHtml([], `<li class="b_no"></li>`).replace('<main>', `<main>${captchaForm}`),
  ],
  ['parseBetaHtml', 'neither results nor nothing', betaHtml([])],
  ['parseBetaHtml', 'the home page', '<html><body><form id="sb_form" action="/search"></form></body></html>'],
  ['parseBetaHtml', 'a counting link that cannot be read', betaHtml([other, 'https://www.bing.com/ck/a?u=b2xyz'])],
  ['parseBetaHtml', 'a counting link to nowhere', betaHtml([other, countingLink('https://')])],
]);

test('parseAlphaHtml(), parseBetaHtml() and parseBetaRss() cope with hostile pages in time', (t) => {
  const shapes = [
    '<div>',
    '<p>',
    '<i></i>',
    '&amp;',
    '&#x41;',
    '<',
    '<!--',
    '</div>',
    '<a b>',
    '<a x="',
    '<title>',
    '<script>',
  ];
  shapes.push(
    '<li class="b_algo"><h2><a href="/ck/a?u=a1eHg">x</a></h2></li>',
    '<ol id=b_results><li class=b_algo><h2>',
  );
  const nested = `${'<ol id=b_results><li class=b_algo><h2>'.repeat(60)}${'<a href=x></a>'.repeat(20_000)}`;
  for (const shape of [...shapes.map((text) => text.repeat(Math.ceil(1.5e6 / text.length))), nested]) {
    for (const read of [parseAlphaHtml, parseBetaHtml, parseBetaRss, parseAlphaJson]) {
      const text = read === parseBetaRss ? `<rss><channel>${shape}</channel></rss>` : shape;
      const ms = fastestMs(() => t.not(decide(read(text, base), target).state, 'indexed'));
      t.true(ms < 300, `${read.name} ${shape.slice(0, 40)}: ${ms} ms`);
    }
  }
});
