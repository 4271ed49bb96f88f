import test from 'ava';
import { parseBaiduHtml, parseBaiduJson } from '../../../platform/inclusion/baidu.ts';
import { parseBingHtml, parseBingRss } from '../../../platform/inclusion/bing.ts';
import { decide, type ResultPage, type Verdict } from '../../../platform/inclusion/engine.ts';
import { parseTarget } from '../../../platform/inclusion/inclusion-query.ts';
import { alphaHtml, alphaJson, betaHtml, betaRss, countingLink } from '../../helpers/engine-pages.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';

const url = 'https://page.example/guide/a.html?x=1&y=2';
const other = 'https://other.example/';
const target = parseTarget(url);
const base = new URL('https://www.beta.example/search?q=q');

const readers = { parseBaiduJson, parseBaiduHtml, parseBingRss, parseBingHtml } as const;
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
  ['parseBaiduJson', 'a result', alphaJson([other, url])],
  ['parseBaiduJson', 'an address escaped as HTML', alphaJson([url.replaceAll('&', '&amp;')])],
  [
    'parseBaiduJson',
    'another way to write the address',
    alphaJson(['http://www.Page.example:80/guide/a.html/?x=1&y=2#z']),
  ],
  ['parseBaiduJson', 'time 0', alphaJson([url], { time: 0 })],
  ['parseBaiduJson', 'an entry without time', alphaJson([url], { time: undefined })],
  ['parseBaiduJson', 'raw control characters', alphaJson([url]).replace('…', 'a\u0001\tb\nc')],
  [
    'parseBaiduJson',
    'illegal backslashes',
    alphaJson([url]).replace('…', 'C:\\windows \\x41 \\ua \\\\ \\" \\').replace('\\"', "\\'").replace('\\",', '\\ ",'),
  ],
  ['parseBaiduJson', 'backslashes before capitals', alphaJson([url]).replace('…', 'C:\\New\\Temp \\U0041 \\u00G1')],
  ['parseBaiduJson', 'a byte order mark', `\u{feff}${alphaJson([url])}`],
  [
    'parseBaiduJson',
    'nonsense between results',
    `{"feed":{"all":"3","entry":[null,0,"x",[],{},{"url":7},{"url":"${url}","time":1}]}}`,
  ],
  ['parseBaiduHtml', 'a result', alphaHtml([other, url])],
  ['parseBaiduHtml', 'a special result', alphaHtml([url]).replace('class="result ', 'class="result-op ')],
  ['parseBaiduHtml', 'a result below a miss', alphaHtml([url], '<p>没有找到该URL</p>')],
  ['parseBaiduHtml', 'a result beside the word', alphaHtml([url], '<p>百度安全验证 captcha</p>')],
  ['parseBingRss', 'an item', betaRss([other, url])],
  [
    'parseBingRss',
    'an item in CDATA',
    betaRss([other]).replace(/<item>.*<\/item>/, `<item><link><![CDATA[${url}]]></link></item>`),
  ],
  ['parseBingRss', 'an item with a counting link', betaRss([countingLink(url)])],
  ['parseBingHtml', 'a direct link', betaHtml([other, url])],
  ['parseBaiduHtml', 'a result of a page that ends in the middle', alphaHtml([other, url]).slice(0, -100)],
  ['parseBingHtml', 'a result of a page that ends in the middle', betaHtml([other, url]).slice(0, -60)],
  ['parseBingHtml', 'a counting link', betaHtml([other, countingLink(url)])],
  [
    'parseBingHtml',
    'a counting link of the same host',
    betaHtml([countingLink(url).replace('https://www.bing.com', '')]),
  ],
  ['parseBingHtml', 'a result beside nothing', betaHtml([url], '<li class="b_no">There are no results</li>')],
]);

check('not-indexed', [
  ['parseBaiduJson', 'only other results', alphaJson([other, 'https://page.example/guide/'])],
  ['parseBaiduJson', 'no result', '{"feed":{"all":0,"resultnum":0,"pn":0,"entry":[{}]}}'],
  ['parseBaiduJson', 'no entry', '{"feed":{"all":0}}'],
  ['parseBaiduJson', 'time ""', alphaJson([url], { time: '' })],
  ['parseBaiduJson', 'the address in a text', alphaJson([other], { title: url, abs: url })],
  ['parseBaiduHtml', 'only other results', alphaHtml([other])],
  [
    'parseBaiduHtml',
    'a miss above unrelated results',
    alphaHtml([other], '<p>很抱歉，没有找到该URL。您可以直接访问</p>'),
  ],
  [
    'parseBaiduHtml',
    'a miss (没有找到该URL)',
    alphaHtml([], `<p>没有找到该URL。您可以直接访问 <a href="${url}">${url}</a></p>`),
  ],
  [
    'parseBaiduHtml',
    'a miss (很抱歉)',
    alphaHtml([], '<div class="nors"><p>很抱歉，没有找到与<em>“x”</em>相关的网页。</p></div>'),
  ],
  ['parseBaiduHtml', 'a miss (约0个)', alphaHtml([], '<span>百度为您找到相关结果约<b> 0 </b>个</span>')],
  [
    'parseBaiduHtml',
    'the word in a snippet',
    alphaHtml([other]).replace('Words', '百度安全验证 captcha 网络不给力，请稍后重试'),
  ],
  [
    'parseBaiduHtml',
    'the address outside of results',
    alphaHtml([other], `<div class="result c-container" mu="${url}"></div>`),
  ],
  ['parseBingRss', 'unrelated items', betaRss([other])],
  ['parseBingRss', 'no item', betaRss([])],
  ['parseBingRss', 'the address of the image', betaRss([other]).replace('https://image.example/', url)],
  [
    'parseBingRss',
    'the word in an item',
    betaRss([other]).replace('Words', 'captcha &lt;form action="/turing/captcha/challenge"&gt;'),
  ],
  ['parseBingHtml', 'only other results', betaHtml([other, countingLink(`${url}3`)])],
  ['parseBaiduHtml', 'a page with a comment after its end', `${alphaHtml([other])}\n<!-- 20260315 -->`],
  ['parseBingHtml', 'nothing', betaHtml([], '<li class="b_no"><h1>There are no results</h1></li>')],
  [
    'parseBingHtml',
    'the word in a snippet',
    betaHtml([other]).replace('Words', 'Captcha <b class="captcha">captcha</b>'),
  ],
  [
    'parseBingHtml',
    'an advert for the address',
    betaHtml([other], `<li class="b_ad"><h2><a href="${url}">x</a></h2></li>`),
  ],
  ['parseBingHtml', 'a link in a snippet', betaHtml([other]).replace('Words', `<a href="${url}">x</a>`)],
]);

check('failed', [
  ['parseBaiduJson', 'a page of HTML', alphaHtml([url])],
  ['parseBaiduJson', 'garbage', '{"feed":{"all":1,"entry":[{'],
  ['parseBaiduJson', 'another object', '{"errno":1,"msg":"captcha"}'],
  ['parseBaiduJson', 'a feed without entries', '{"feed":{}}'],
  ['parseBaiduJson', 'results that are not there', '{"feed":{"all":7,"resultnum":7,"entry":[{}]}}'],
  ['parseBaiduJson', 'null', 'null'],
  ['parseBaiduJson', 'a list', '[1]'],
  ['parseBaiduJson', 'names of objects', '{"__proto__":{"feed":{"all":0}},"constructor":{}}'],
  [
    'parseBaiduHtml',
    'a captcha',
    '<html><head><title>百度安全验证</title></head><body><div>没有找到该URL</div></body></html>',
  ],
  [
    'parseBaiduHtml',
    'nothing but a link to a captcha',
    '<a href="https://wappass.baidu.com/static/captcha/tuxing.html?ak=1">Found</a>.',
  ],
  ['parseBaiduHtml', 'overload', '<html><body><p>网络不给力，请稍后重试</p><p>返回首页</p></body></html>'],
  [
    'parseBaiduHtml',
    'the home page',
    '<html><head><title>百度一下，你就知道</title></head><body><form id="form" action="/s"></form></body></html>',
  ],
  [
    'parseBaiduHtml',
    'a miss that only a script tells',
    '<html><body><script>var t="没有找到该URL"</script></body></html>',
  ],
  ['parseBaiduHtml', 'a page that ends in the middle', alphaHtml([other, url]).slice(0, -300)],
  [
    'parseBaiduHtml',
    'a miss in a page that ends in the middle',
    alphaHtml([], '<p>没有找到该URL</p>').replace('</html>', ''),
  ],
  [
    'parseBaiduHtml',
    'a page that ends in the middle after a script about its end',
    alphaHtml([other], '<script>"</html>"</script>').replace(/<\/html>$/, ''),
  ],
  ['parseBingHtml', 'a page that ends in the middle', betaHtml([other, url]).slice(0, -150)],
  ['parseBingHtml', 'a page that ends after all other results', betaHtml([other]).replace('</html>', '')],
  [
    'parseBingHtml',
    'nothing in a page that ends in the middle',
    betaHtml([], '<li class="b_no"></li>').replace('</html>', ''),
  ],
  ['parseBaiduHtml', '10 results that are not there', alphaHtml([], '找到相关结果约10个')],
  ['parseBaiduHtml', 'results without addresses', alphaHtml([other]).replace(/ mu="[^"]*"/g, '')],
  ['parseBingRss', 'a page of HTML', betaHtml([url])],
  ['parseBingRss', 'another feed', '<feed><entry><link>x</link></entry></feed>'],
  ['parseBingRss', 'a feed cut off', betaRss([other, url]).slice(0, -120)],
  ['parseBingRss', 'an item without a link', betaRss([other]).replace(/<item>.*?<\/link>/, '<item>')],
  ['parseBingRss', 'an item with an empty link', betaRss([other, ''])],
  ['parseBingRss', 'an item whose link is no address', betaRss([other]).replace(`<link>${other}`, '<link>&u;')],
  ['parseBingRss', 'nothing in it', '<rss version="2.0"></rss>'],
  ['parseBingRss', 'garbage', '\u0000\u0001<<>>'],
  ['parseBingHtml', 'a captcha (form)', `<html><body>${captchaForm}</body></html>`],
  ['parseBingHtml', 'a captcha (id)', '<html><body><div id="b_captcha"></div></body></html>'],
  ['parseBingHtml', 'a captcha (class)', '<html><body><div class="x captcha"></div></body></html>'],
  ['parseBingHtml', 'a captcha beside other results', betaHtml([other]).replace('<main>', `<main>${captchaForm}`)],
  [
    'parseBingHtml',
    'a captcha beside nothing',
    betaHtml([], `<li class="b_no"></li>`).replace('<main>', `<main>${captchaForm}`),
  ],
  ['parseBingHtml', 'neither results nor nothing', betaHtml([])],
  ['parseBingHtml', 'the home page', '<html><body><form id="sb_form" action="/search"></form></body></html>'],
  ['parseBingHtml', 'a counting link that cannot be read', betaHtml([other, 'https://www.bing.com/ck/a?u=b2xyz'])],
  ['parseBingHtml', 'a counting link to nowhere', betaHtml([other, countingLink('https://')])],
]);

test('parseBaiduHtml(), parseBingHtml() and parseBingRss() cope with hostile pages in time', (t) => {
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
    for (const read of [parseBaiduHtml, parseBingHtml, parseBingRss, parseBaiduJson]) {
      const text = read === parseBingRss ? `<rss><channel>${shape}</channel></rss>` : shape;
      const ms = fastestMs(() => t.not(decide(read(text, base), target).state, 'indexed'));
      t.true(ms < 300, `${read.name} ${shape.slice(0, 40)}: ${ms} ms`);
    }
  }
});
