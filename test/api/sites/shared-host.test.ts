import { serveSite } from '../../helpers/serve-site.ts';
import { browserTest, shareBrowser } from '../../helpers/share-browser.ts';

const getBrowser = shareBrowser();

const EVIL = `<!doctype html>
<html><head><title>Page</title><script src="classic.js"></script><script type="module" src="module.js"></script></head>
<body><p>Page</p><script>
  const seen = window.seen = {};
  const note = (name, value) => { seen[name] = value; };
  try { note('cookie', document.cookie); } catch (error) { note('cookie', error.name); }
  try { note('storage', localStorage.length); } catch (error) { note('storage', error.name); }
  window.tries = Promise.all([
    fetch('data.json').then((answer) => answer.json()).then((value) => note('own', value), (error) => note('own', error.name)),
    fetch('/private', { credentials: 'include' }).then((answer) => answer.text()).then((value) => note('private', value), (error) => note('private', error.name)),
  ]);
</script></body></html>`;

browserTest(
  'createSiteServer() keeps pages on a shared host from acting as their visitor, and lets them work',
  async (t) => {
    const site = await serveSite(t, {
      'evil.html': EVIL,
      'data.json': '"mine"',
      'classic.js': 'window.classic = true',
      'module.js': 'window.module = true',
      private: 'what the visitor may see',
    });
    const context = await getBrowser().newContext();
    await context.addCookies([{ name: 'sessionId', value: 'secret', url: site.url }]);
    const page = await context.newPage();
    const look = async (path: string) => {
      await page.goto(`${site.url}${path}`);
      return page.evaluate('tries.then(() => ({ ...seen, classic: window.classic, module: window.module }))');
    };
    t.deepEqual(await look('/docs/guide/evil.html'), {
      cookie: 'SecurityError',
      storage: 'SecurityError',
      own: 'mine',
      private: 'TypeError',
      classic: true,
      module: true,
    });
    const own = (await look('/evil.html')) as Record<string, unknown>;
    t.is(own.cookie, 'sessionId=secret', 'the same page would, without the sandbox');
  },
);
