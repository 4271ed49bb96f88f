import { createRenderer } from '../../../builder/markdown/create-renderer.ts';
import {
  type Draft,
  describeDraft,
  fillCodeSlots,
  type MarkdownRenderer,
  type RenderInput,
} from '../../../builder/markdown/draft.ts';
import type { CodeBlock, Fragment, MarkdownOptions } from '../../../builder/model.ts';

const defaults: MarkdownOptions = { html: 'raw', emoji: true, math: true, mermaid: true, allowedHosts: [] };
const renderers = new Map<string, MarkdownRenderer>();

/** Returns the draft of a text, with the options most projects have. */
export function renderDraft(
  text: string,
  input: Partial<RenderInput> = {},
  options: Partial<MarkdownOptions> = {},
): Draft {
  const all = { ...defaults, ...options };
  const key = JSON.stringify(all);
  if (!renderers.has(key)) renderers.set(key, createRenderer(all));
  return renderers.get(key)!.render({ text, firstLine: 1, includes: new Map(), ...input });
}

/** Returns the page of a text, code plain, each slot as `{url}` so that it can be read in the HTML. */
export function renderPage(
  text: string,
  input: Partial<RenderInput> = {},
  options: Partial<MarkdownOptions> = {},
): Fragment {
  const draft = renderDraft(text, input, options);
  const plain = fillCodeSlots(draft, (_block: CodeBlock) => undefined);
  const fragment = describeDraft(draft);
  const html = plain.replace(/\0(\d+)\0/g, (_, number: string) => `{${fragment.slots[Number(number)]!.url}}`);
  return { ...fragment, html: html.trim() };
}
