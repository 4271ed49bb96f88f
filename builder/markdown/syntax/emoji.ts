import type { StateInline } from 'markdown-it';
import emojiOfName from 'markdown-it-emoji/lib/data/full.mjs';
import type { Parser } from '../page/extension.ts';

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
  // The table is asked as it is: few pages have an emoji, and a map of 1,900 names would be made for all.
  const emoji = match && Object.hasOwn(emojiOfName, match[1]!) ? emojiOfName[match[1]!] : undefined;
  if (!match || emoji === undefined || state.pos + match[0].length > state.posMax) return false;
  if (!silent) {
    const token = state.push('emoji', '', 0);
    token.content = emoji;
    token.markup = match[1]!;
  }
  state.pos += match[0].length;
  return true;
}
