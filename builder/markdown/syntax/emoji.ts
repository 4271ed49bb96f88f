import type { StateInline } from 'markdown-it';
import emojiOfName from 'markdown-it-emoji/lib/data/full.mjs';
import type { Parser } from '../page/extension.ts';

const EMOJIS: ReadonlyMap<string, string> = new Map(Object.entries(emojiOfName));
const SHORTCODE = /:([a-z0-9_+-]{1,50}):/y;

/** Adds `:tada:` with GitHub's names. (markdown-it-emoji's own rule searches every text for 1,900 names; only its table is used.) */
export function addEmoji({ md, rules, options }: Parser): void {
  if (!options.emoji) return;
  rules.inline(':', parseEmoji);
  md.renderer.rules.emoji = (tokens, index) => tokens[index]!.content;
}

function parseEmoji(state: StateInline, silent: boolean): boolean {
  SHORTCODE.lastIndex = state.pos;
  const match = SHORTCODE.exec(state.src);
  const emoji = match ? EMOJIS.get(match[1]!) : undefined;
  if (!match || emoji === undefined || state.pos + match[0].length > state.posMax) return false;
  if (!silent) {
    const token = state.push('emoji', '', 0);
    token.content = emoji;
    token.markup = match[1]!;
  }
  state.pos += match[0].length;
  return true;
}
