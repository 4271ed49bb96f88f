import type { Context } from 'koa';
import { renderPage } from '../http/answers.ts';
import { findSaid } from './said.ts';
import type { Visitor } from './visitor.ts';

/** Nothing of the console is kept, shown in frames of others, or told to where its links lead. */
export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // `no-referrer` would take the origin away from forms, too.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Pages of the menu, for all and for operators. */
const MENU = [
  { path: '/control/', label: 'My information' },
  { path: '/control/keys', label: 'My API keys' },
  { path: '/control/short-urls', label: 'My short URLs' },
] as const;
const OPERATOR_MENU = [
  { path: '/control/users', label: 'Users' },
  { path: '/control/grants', label: 'Grants' },
  { path: '/control/blocks', label: 'Blocks' },
  { path: '/control/projects', label: 'Projects' },
  { path: '/control/builds', label: 'Builds' },
] as const;

/** What every page of the console gets besides its own model. */
export interface PageFrame {
  readonly visitor?: Visitor | undefined;
  /** Path of the menu. */
  readonly section?: string;
  readonly formToken?: string;
  /** What is wrong with the form that was sent. */
  readonly error?: string;
  /** What was sent, to be shown again. */
  readonly form?: ReadonlyMap<string, string>;
}

/** Answers with a page of the console; the status is set before, by the caller. */
export function sendConsolePage(ctx: Context, template: string, model: object, frame: PageFrame = {}): void {
  const { visitor, section = '', formToken = visitor?.formToken ?? '', error = '', form } = frame;
  const said = error === '' ? findSaid(new URLSearchParams(ctx.querystring).get('said')) : '';
  ctx.body = renderPage(`control/${template}`, {
    ...model,
    ...{ formToken, said, error, section },
    account: visitor?.user.account ?? '',
    menu: visitor ? MENU : [],
    operatorMenu: visitor?.user.isOperator ? OPERATOR_MENU : [],
    // Passwords are never sent back.
    value: (name: string) => (name === 'password' ? '' : (form?.get(name) ?? '')),
  });
  ctx.type = 'html';
  ctx.set(CONSOLE_HEADERS);
}

/** Leads to a page of the console once a form is done; the browser asks for it by GET. */
export function redirectTo(ctx: Context, path: string): void {
  ctx.status = 303;
  ctx.set(CONSOLE_HEADERS);
  ctx.set('Location', path);
  ctx.body = '';
}
