const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Elements that have no content and no closing tag. */
export const voidElements = words('area base br col embed hr img input link meta param source track wbr');

/** Elements whose closing tag may be left out; it is never added. */
export const optionalClosing = words('p li dt dd tr td th thead tbody tfoot colgroup caption option optgroup rp rt');

/** Elements whose content is not HTML: left open, they swallow everything behind them. */
export const textElements = words('script style textarea title xmp iframe noembed noframes');

/** Elements of a whole document, which have no place inside a page. */
export const documentElements = words('html head body frameset frame base plaintext');

const htmlElements = words(`
  a abbr address area article aside audio b bdi bdo blockquote br button canvas caption center cite code col colgroup
  data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5
  h6 header hgroup hr i iframe img input ins kbd label legend li link main map mark math menu meta meter nav noscript
  object ol optgroup option output p picture pre progress q rp rt ruby s samp script search section select slot small
  source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr
  track tt u ul var video wbr
`);

/**
 * Tells whether a tag's name is a component of Vue, React or another generator: a capital letter in front, or a dot
 * inside. `<BR>` and the like, in capitals only, are HTML.
 */
export function isComponentName(name: string): boolean {
  if (name.includes('.')) return true;
  const first = name.charCodeAt(0);
  if (first < 65 || first > 90) return false;
  return !(name === name.toUpperCase() && htmlElements.has(name.toLowerCase()));
}
