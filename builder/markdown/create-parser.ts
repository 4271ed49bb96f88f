import createMarkdownIt, { type MarkdownIt } from 'markdown-it';
import deflist from 'markdown-it-deflist';
import type { MarkdownOptions } from '../model.ts';
import { addAbbreviations } from './foreign/abbreviations.ts';
import { addForeignBlocks } from './foreign/blocks.ts';
import { addForeignCode } from './foreign/code.ts';
import { addHeadingIds } from './foreign/heading-ids.ts';
import { addForeignInline } from './foreign/inline.ts';
import { addKramdown } from './foreign/kramdown.ts';
import { addMdx } from './foreign/mdx.ts';
import { addMyst } from './foreign/myst.ts';
import { addPymdown } from './foreign/pymdown.ts';
import { addRawHtml } from './html/raw-html.ts';
import { addLightTokens } from './light-tokens.ts';
import { addPageLimits } from './page-limits.ts';
import { addRulesBySign, type RulesBySign } from './rules-by-sign.ts';
import { addAdmonitions } from './syntax/admonitions.ts';
import { addAlerts } from './syntax/alerts.ts';
import { addAttributes } from './syntax/attributes.ts';
import { addAutolinks } from './syntax/autolinks.ts';
import { addCodeBlocks } from './syntax/code-blocks.ts';
import { addComponents } from './syntax/components.ts';
import { addContainers } from './syntax/containers.ts';
import { addEmoji } from './syntax/emoji.ts';
import { addFootnotes } from './syntax/footnotes.ts';
import { addHeadings } from './syntax/headings.ts';
import { addIncludes } from './syntax/includes.ts';
import { addLinks } from './syntax/links.ts';
import { addTables } from './syntax/tables.ts';
import { addTabs } from './syntax/tabs.ts';
import { addTaskLists } from './syntax/task-lists.ts';
import { addTableOfContents } from './syntax/toc.ts';

/**
 * Creates the configured markdown-it. Rules that walk the tokens run in the order they are added here: what changes
 * text before it is read (task lists, alerts, attributes of blocks), then headings, links, raw HTML.
 */
export function createParser(options: MarkdownOptions): MarkdownIt {
  const md = new createMarkdownIt({ html: true, linkify: true });
  addLightTokens(md);
  addPageLimits(md);
  addAutolinks(md);
  md.use(deflist);
  addFootnotes(md);
  const rules = addRulesBySign(md);
  addContainersAndElements(md, rules);
  if (options.emoji) addEmoji(md, rules);
  addCodeBlocks(md);
  addTables(md);
  addAlerts(md);
  addTaskLists(md);
  addAttributes(md, rules);
  addTableOfContents(md);
  addHeadings(md);
  addLinks(md);
  addRawHtml(md);
  return md;
}

/** Of rules for one sign, the one added first is asked first. */
function addContainersAndElements(md: MarkdownIt, rules: RulesBySign): void {
  addPymdown(rules);
  addContainers(rules);
  addAdmonitions(rules);
  addTabs(md, rules);
  addIncludes(md, rules);
  addMyst(rules);
  addForeignBlocks(rules);
  addKramdown(md, rules);
  addMdx(md, rules);
  addForeignInline(md, rules);
  addComponents(md);
  addAbbreviations(md, rules);
  addForeignCode(md);
  addHeadingIds(md);
}
