import createMarkdownIt, { type MarkdownIt } from 'markdown-it';
import cjkFriendly from 'markdown-it-cjk-friendly';
import deflist from 'markdown-it-deflist';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { createTimedLine, runWithin } from '../../lib/run-within.ts';
import { BuildError } from '../build-error.ts';
import type { MarkdownOptions } from '../model.ts';
import { addCodeBlocks } from './code/code-blocks.ts';
import type { Draft, MarkdownPlugin, MarkdownRenderer, RenderInput } from './draft.ts';
import { addForeignBlocks } from './foreign/blocks.ts';
import { addForeignCode } from './foreign/code.ts';
import { addDocsify } from './foreign/docsify.ts';
import { expandTemplate } from './foreign/expand-template.ts';
import { addFileTrees } from './foreign/file-tree.ts';
import { addIcons } from './foreign/icons.ts';
import { addForeignInline } from './foreign/inline.ts';
import { addKramdown } from './foreign/kramdown.ts';
import { addMdc } from './foreign/mdc.ts';
import { addMdx } from './foreign/mdx.ts';
import { addMyst } from './foreign/myst.ts';
import { addOwnComponents } from './foreign/own-components.ts';
import { addPymdown } from './foreign/pymdown.ts';
import { addSiteCode } from './foreign/site-code.ts';
import { sanitizeHtml } from './html/sanitize-html.ts';
import { listIncludePaths } from './include/include-references.ts';
import { addIncludes } from './include/includes.ts';
import { parseSnippetBlockLine } from './include/python-includes.ts';
import { addPlugin } from './page/add-plugin.ts';
import { createRulesByCharacter, type Extension } from './page/extension.ts';
import { addLightTokens } from './page/light-tokens.ts';
import { refuseUnforeseen } from './page/page-costs.ts';
import { addPageLimits } from './page/page-limits.ts';
import { createPageState, type PageState } from './page/page-state.ts';
import { addRawHtml } from './raw-html/raw-html.ts';
import { addAbbreviations } from './syntax/abbreviations.ts';
import { addAttributes } from './syntax/attributes.ts';
import { addAdmonitions } from './syntax/callouts.ts';
import { addComponents } from './syntax/components.ts';
import { addContainers } from './syntax/containers.ts';
import { addDashes } from './syntax/dashes.ts';
import { addEmoji } from './syntax/emoji.ts';
import { addFootnotes } from './syntax/footnotes.ts';
import { addFormulas } from './syntax/formulas.ts';
import { addAlerts, addAutolinks, addTaskLists } from './syntax/github.ts';
import { addHeadingIds, addHeadings, addTermIds } from './syntax/headings.ts';
import { addLineBreaks } from './syntax/line-breaks.ts';
import { addLinks } from './syntax/links.ts';
import { addMarks } from './syntax/marks.ts';
import { addPageReferences, addReferenceChecks } from './syntax/references.ts';
import { addTableOfContents } from './syntax/table-of-contents.ts';
import { addTables } from './syntax/tables.ts';
import { addTabs } from './syntax/tabs.ts';

/**
 * Creates the renderer of Markdown pages. Its markup, for the theme's CSS:
 *
 * | what | markup |
 * |---|---|
 * | heading | `<h2 id tabindex="-1">Text <a class="anchor" href="#id" aria-label="Permalink: Text">#</a></h2>`; a second id some other generator would give stands inside as an empty `<span id>` |
 * | code block | `<div class="code-block" data-language="ts"><div class="code-title">name.js</div><pre tabindex="0"><code>…</code></pre></div>`; title and `data-language` only where known |
 * | line numbers | `<div class="code-block numbered">`, in it before `<code>`, inside `<pre>`: `<span class="line-numbers" aria-hidden="true">1\n2\n3</span>` |
 * | marked line | `<span class="line …">` with `highlighted`, `diff add`, `diff remove`, `focused`, `dimmed` (the lines that are not focused), `error`, `warning`; lines end in a newline outside the span, so `display: inline-block; width: 100%` |
 * | marked part of a line | `<ins>`, `<del>`, `<mark>` around whole tokens or halves of them |
 * | token of code | `<span class="tk">…</span>`, see `TOKEN_CLASSES` |
 * | callout | `<div class="callout tip"><p class="callout-title">Tip</p>…</div>`, kinds `info note tip important warning caution danger` |
 * | details | `<details class="callout details"><summary>Title</summary>…</details>`; MkDocs' `???` gives `<details class="callout warning">` |
 * | unknown container | `<div class="container name"><p class="container-title">Title</p>…</div>` (`::: name Title`, when it is closed), `<div class="raw">`; cards and the like of other generators are `container card`, `cardgrid`, `steps`, `filetree` (with `<li class="folder">`) |
 * | tabs | `<div class="tabs" role="group">`, with `data-sync` for groups that change together, then for each tab `<input type="radio" class="tab-input" name="tabs-1" id="tabs-1-1" checked><label class="tab-label" for="tabs-1-1">npm</label><div class="tab-panel">…</div>`; a code group is `class="tabs code-group"`. CSS needed: `.tabs{display:flex;flex-wrap:wrap}` `.tab-panel{display:none;order:1;width:100%}` `.tab-input:checked+.tab-label+.tab-panel{display:block}`, and the input visually hidden, not `display:none` |
 * | table | `<div class="table-scroll" tabindex="0"><table>…</table></div>`, cells with `class="align-left"`, `align-center`, `align-right` |
 * | task | `<li class="task"><label><input type="checkbox" disabled checked> text</label></li>` |
 * | contents | `<nav class="toc" aria-label="Contents"><ul><li><a href="#id">…</a><ul>…` |
 * | badge | `<span class="badge tip">beta</span>`, kinds `info tip warning danger` |
 * | footnote | `<sup class="footnote-ref"><a href="#fn1" id="fnref1">1</a></sup>` and at the end `<section class="footnotes" aria-label="Footnotes"><ol><li id="fn1">… <a class="footnote-back" href="#fnref1" aria-label="Back to text">↩</a></li></ol></section>` |
 * | icon of another theme | `<span class="inline-icon" role="img" aria-label="Yes">✓</span>`, or its name in `<span class="inline-icon">` |
 * | marks | `<mark>`, `<sub>`, `<sup>`, `<abbr title>`; keys `<kbd>Ctrl</kbd>+<kbd>C</kbd>` |
 * | diagram | `<div class="diagram" data-label="Diagram"><details open><summary class="diagram-source">Diagram source</summary>` and the code block; a script adds the picture before `<details>` |
 * | formula | `<math>…</math>`, alone on its lines in `<div class="formula" tabindex="0">`; TeX that is wrong `<span class="formula-error">$…$</span>`, or a code block |
 * | definition list | `<dl><dt id="term">…</dt><dd>…</dd></dl>` |
 * | include that failed | `<p class="missing-include"><code>…</code></p>` |
 * | image | `<img src alt decoding="async" loading="lazy">`; with a caption `<figure><img><figcaption>…</figcaption></figure>`; a paragraph of nothing else is `<p class="pictures">` |
 */
export function createRenderer(options: MarkdownOptions): MarkdownRenderer {
  const renderPage = (page: PageState, input: RenderInput): Draft => {
    const rendered = findParser(options, input.plugins).render(expandTemplate(page) ?? withAppended(input), { page });
    return {
      html: options.html === 'safe' && page.hasHtml ? sanitizeHtml(rendered) : rendered,
      slots: page.slots,
      headings: page.headings,
      title: page.headings.find((heading) => heading.level === 1)?.text,
      ids: [...page.ids],
      warnings: page.warnings.sort((a, b) => a.line - b.line),
      extras: [...page.extras].sort(),
      diagrams: page.diagrams,
    };
  };
  /** Its page is new each time, since one may be rendered again from its start. */
  const prepare = (input: RenderInput) => {
    let page: PageState | undefined;
    /** Whatever ends a page, foreseen or not, is an error of this page, with the line at which it was. */
    const refuse = (error: unknown): never => {
      if (page === undefined || error instanceof BuildError) throw error;
      reset();
      throw refuseUnforeseen(page.costs, error);
    };
    const render = (): Draft => {
      try {
        page = createPageState(options, input);
        return renderPage(page, input);
      } catch (error) {
        // At once: the next page may follow in the same call.
        return refuse(error);
      }
    };
    return { render, refuse };
  };
  return {
    render(input) {
      const { render, refuse } = prepare(input);
      try {
        return isShort(input) ? render() : runWithin(MAX_MS, render, reset);
      } catch (error) {
        return refuse(error);
      }
    },
    async renderSoon(input) {
      if (isShort(input)) return this.render(input);
      const { render, refuse } = prepare(input);
      return await inTurn(render).catch(refuse);
    },
  };
}

/** The longest time of a page, whatever takes it, ms. */
const MAX_MS = 10_000;
/** No rule takes long with less text, in characters. */
const SHORT = 3_000;

const inTurn = createTimedLine(MAX_MS, reset);

/** Forgets the parsers: half of a page may have been left in them. */
function reset(): void {
  for (const [key] of [...parsers.entries()]) parsers.delete(key);
}

/** Code and templates of others may take any time. */
function isShort({ text, includes, plugins = [], components }: RenderInput): boolean {
  return text.length < SHORT && includes.size === 0 && plugins.length === 0 && components === undefined;
}

/** Returns the text of a page with the includes of files that are part of each page; those that do not exist are left out. */
function withAppended({ text, appended = [], ...place }: RenderInput): string {
  const { pagePath = '', sourceDir = '', includeFolders, includes } = place;
  const lines = appended.flatMap((path) => {
    const reference = parseSnippetBlockLine(path);
    const paths = reference ? listIncludePaths(reference, { pagePath, sourceDir, includeFolders }) : [];
    return paths.some((file) => includes.has(file)) && !/["\n]/.test(path) ? [`\n\n--8<-- "${path}"\n`] : [];
  });
  return text + lines.join('');
}

/**
 * docbuild's own additions to Markdown. Their order matters twice: of several rules for one sign, the first one added is tried first;
 * and rules that walk the tokens run in the order in which they are added: first those that change text before it is
 * parsed (task lists, alerts, attributes of blocks), then headings, links, raw HTML.
 */
const EXTENSIONS: readonly Extension[] = [
  addAutolinks,
  addOwnComponents,
  ({ md }) => md.use(deflist),
  addFootnotes,
  addIcons,
  addPymdown,
  addMyst,
  addMdc,
  addContainers,
  addAdmonitions,
  addTabs,
  addIncludes,
  addForeignBlocks,
  addKramdown,
  addMdx,
  addForeignInline,
  addComponents,
  addAbbreviations,
  addForeignCode,
  addSiteCode,
  addFileTrees,
  addDocsify,
  addPageReferences,
  addHeadingIds,
  addEmoji,
  addMarks,
  addLineBreaks,
  addCodeBlocks,
  addFormulas,
  addTables,
  addAlerts,
  addTaskLists,
  addAttributes,
  addTableOfContents,
  addHeadings,
  addLinks,
  addRawHtml,
  addTermIds,
  addDashes,
  addReferenceChecks,
];

/** Those from here on walk the tokens that all others, plugins included, have made. */
const FIRST_WALK = EXTENSIONS.indexOf(addTableOfContents);

/** The builds of a server share parsers: V8 has optimised the rules of one that has rendered pages. */
const parsers = createBoundedMap<string, MarkdownIt>({ maxEntries: 8 });

function findParser(options: MarkdownOptions, plugins: readonly MarkdownPlugin[] = []): MarkdownIt {
  const key = JSON.stringify([options, plugins.map((plugin) => plugin.key)]);
  const parser = parsers.get(key) ?? createParser(options, plugins);
  parsers.set(key, parser);
  return parser;
}

function createParser(options: MarkdownOptions, plugins: readonly MarkdownPlugin[]): MarkdownIt {
  const md = new createMarkdownIt({ html: true, linkify: true });
  addLightTokens(md);
  // Chinese and Japanese write no blank between bold text and what follows its punctuation.
  md.use(cjkFriendly);
  addPageLimits(md);
  const rules = createRulesByCharacter(md);
  const [reading, walking] = [EXTENSIONS.slice(0, FIRST_WALK), EXTENSIONS.slice(FIRST_WALK)];
  for (const add of reading) add({ md, rules, options });
  // What they make of a text has headings, links and HTML like any other.
  for (const plugin of plugins) addPlugin(md, plugin);
  for (const add of walking) add({ md, rules, options });
  return md;
}
