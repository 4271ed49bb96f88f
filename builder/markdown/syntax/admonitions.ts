import type { StateBlock } from 'markdown-it';
import type { RulesBySign } from '../rules-by-sign.ts';
import { findCalloutKind, pushCallout } from './callout.ts';
import { findIndentedEnd, parseIndented } from './indented-block.ts';

const opening = /^(!!!|\?\?\?\+?)[ \t]*([\w-]+)((?:[ \t]+[\w-]+)*)(?:[ \t]+"(.*)")?[ \t]*$/;
const bareOpening = /^(!!!|\?\?\?\+?)[ \t]*()()"(.+)"[ \t]*$/;

/** Adds MkDocs' admonitions: `!!! note "Title"`, and `???` or `???+` for one that opens and closes, also without a kind. */
export function addAdmonitions(rules: RulesBySign): void {
  rules.block('!?', parseAdmonition);
}

function parseAdmonition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const line = state.src.slice(start, state.eMarks[startLine]!);
  const match = opening.exec(line) ?? bareOpening.exec(line);
  // Without a space, it may be somebody who shouts.
  if (!match || (/^[!?+]+\w/.test(line) && findCalloutKind(match[2]!) === undefined)) return false;
  if (silent) return true;
  const name = match[2]!.toLowerCase() || (match[1] === '!!!' ? 'note' : 'details');
  const end = findIndentedEnd(state, startLine + 1, endLine);
  const details = match[1] === '!!!' ? 'no' : match[1] === '???+' ? 'open' : 'closed';
  const callout = { kind: findCalloutKind(name) ?? 'note', name, title: match[4], details } as const;
  pushCallout(state, callout, [startLine, end], () => parseIndented(state, startLine + 1, end));
  state.line = end;
  return true;
}
