import { Theme } from 'shiki/textmate';
import type { CodeTheme } from '../../extension.ts';

/** Scopes of editors that stand for a kind of token, by its custom property: the first that a theme colours is taken. */
const SCOPES = {
  tk: ['keyword.control', 'storage.type'],
  ts: ['string.quoted.double'],
  tc: ['constant.numeric', 'constant.language'],
  tf: ['entity.name.function', 'support.function'],
  tp: ['variable.parameter'],
  tm: ['comment.line'],
  tu: ['punctuation.separator', 'punctuation'],
  td: ['markup.deleted'],
};

/**
 * Returns the colours of a theme by the custom properties of code, as the theme writes them. Tokens that it does not colour have the
 * colour of its text, except for what is removed.
 */
export function readCodeTheme({ colors = {}, tokenColors, settings }: CodeTheme): Readonly<Record<string, string>> {
  const rules = (tokenColors ?? settings ?? []) as readonly {
    readonly scope?: unknown;
    readonly settings?: Readonly<Record<string, string>>;
  }[];
  // Of TextMate, the rule without a scope has what VS Code has in `colors`.
  const general = rules.find(({ scope }) => scope === undefined)?.settings ?? {};
  const text = colors['editor.foreground'] ?? general.foreground;
  const theme = Theme.createFromRawTheme({ settings: rules } as unknown as Parameters<
    typeof Theme.createFromRawTheme
  >[0]);
  const names = theme.getColorMap();
  const found: Record<string, string | undefined> = {
    'code-bg': colors['editor.background'] ?? general.background,
    'code-text': text,
  };
  for (const [property, scopes] of Object.entries(SCOPES)) {
    const painted = scopes.map((scope) => names[colourOf(theme, scope)]).find((colour) => colour !== undefined);
    found[property] = painted ?? (property === 'td' ? undefined : text);
  }
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, colour]) => (colour === undefined ? [] : [[name, colour]])),
  );
}

/** Returns the number of a colour in the theme's list, 0 = none. */
function colourOf(theme: Theme, scope: string): number {
  const path = { scopeName: scope, parent: { scopeName: 'source', parent: null } };
  return theme.match(path as unknown as Parameters<Theme['match']>[0])?.foregroundId ?? 0;
}
