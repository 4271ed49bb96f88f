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
import { addPageLimits } from './page-limits.ts';
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
  addPageLimits(md);
  addAutolinks(md);
  md.use(deflist);
  addFootnotes(md);
  addContainers(md);
  addAdmonitions(md);
  addTabs(md);
  addIncludes(md);
  addForeignBlocks(md);
  addForeignInline(md);
  addMdx(md);
  addPymdown(md);
  addMyst(md);
  addAbbreviations(md);
  addForeignCode(md);
  addComponents(md);
  if (options.emoji) addEmoji(md);
  addCodeBlocks(md);
  addTables(md);
  addAlerts(md);
  addTaskLists(md);
  addAttributes(md);
  addKramdown(md);
  addHeadingIds(md);
  addTableOfContents(md);
  addHeadings(md);
  addLinks(md);
  addRawHtml(md);
  return md;
}
