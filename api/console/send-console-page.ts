import type { Context } from 'koa';
import { renderPage } from '../http/answers.ts';
import type { Visitor } from './forms.ts';

/** Pages are not cached, not shown in frames of others, and not revealed to the targets of their links. */
const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // `no-referrer` would also remove the origin from forms.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

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

/** Messages of the page that follows a form. URLs contain their names, so that no text of a URL is ever shown. */
const FLASH_MESSAGES = {
  'logged-out': 'Logged out.',
  registered: 'Account created; you are logged in.',
  'password-changed': 'Password changed. All other sessions have ended.',
  'key-created': 'Key created.',
  'key-disabled': 'Key disabled.',
  'key-enabled': 'Key enabled.',
  'key-deleted': 'Key deleted.',
  shortened: 'Short URL created.',
  'short-url-disabled': 'Short URL disabled.',
  'short-url-enabled': 'Short URL enabled.',
  'user-created': 'Account created.',
  'user-disabled': 'Account disabled; its sessions have ended.',
  'user-enabled': 'Account enabled.',
  'user-verified': 'Account verified.',
  'user-unverified': 'Verification of the account removed.',
  'user-password': 'Password changed; all sessions of the account have ended.',
  granted: 'Payment booked.',
  blocked: 'Block added.',
  unblocked: 'Block removed.',
  'build-requested': 'Build requested.',
  'build-cancelled': 'Build cancelled.',
  'builds-cancelled': 'Builds cancelled.',
  replayed: 'Delivery replayed; its answer shows the result.',
  'test-delivered': 'Test notification delivered.',
} as const;

/** The name of a message. */
export type FlashMessage = keyof typeof FLASH_MESSAGES;

const TEXT_OF_FLASH: ReadonlyMap<string | null, string> = new Map(Object.entries(FLASH_MESSAGES));

/** What a page has besides its own model. */
interface PageFrame {
  readonly visitor?: Visitor | undefined;
  /** Path of its entry in the menu. */
  readonly section?: string;
  readonly formToken?: string;
  /** Why the form that was sent failed. */
  readonly error?: string;
  /** The form that was sent, to be shown again. */
  readonly form?: ReadonlyMap<string, string>;
}

/** Sends a page of the console; the caller has set the status. */
export function sendConsolePage(ctx: Context, template: string, model: object, frame: PageFrame = {}): void {
  const { visitor, section = '', formToken = visitor?.formToken ?? '', error = '', form } = frame;
  const name = new URLSearchParams(ctx.querystring).get('flash');
  ctx.body = renderPage(`control/${template}`, {
    ...model,
    ...{ formToken, error, section },
    flash: error === '' ? (TEXT_OF_FLASH.get(name) ?? '') : '',
    account: visitor?.user.account ?? '',
    menu: visitor ? MENU : [],
    operatorMenu: visitor?.user.isOperator ? OPERATOR_MENU : [],
    // Passwords are never sent back.
    value: (field: string) => (field === 'password' ? '' : (form?.get(field) ?? '')),
  });
  ctx.type = 'html';
  ctx.set(CONSOLE_HEADERS);
}

/** Redirects to the page that follows a form, which the browser requests by GET and which shows a message. */
export function redirectTo(ctx: Context, path: string, flash?: FlashMessage): void {
  const query = flash === undefined ? '' : `${path.includes('?') ? '&' : '?'}flash=${flash}`;
  ctx.status = 303;
  ctx.set(CONSOLE_HEADERS);
  ctx.set('Location', path + query);
  ctx.body = '';
}
