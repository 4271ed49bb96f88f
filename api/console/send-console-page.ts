import type { Context } from 'koa';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { hideCredentials } from '../../lib/repository-address.ts';
import { readerOf } from '../http/language.ts';
import { renderPage } from '../http/pages.ts';
import type { FormToken, Visitor } from './forms.ts';

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
  { path: '/control/', label: phrase`My information` },
  { path: '/control/keys', label: phrase`My API keys` },
  { path: '/control/short-urls', label: phrase`My short URLs` },
] as const;
const OPERATOR_MENU = [
  { path: '/control/users', label: phrase`Users` },
  { path: '/control/grants', label: phrase`Grants` },
  { path: '/control/all-short-urls', label: phrase`Short URLs` },
  { path: '/control/blocks', label: phrase`Blocks` },
  { path: '/control/projects', label: phrase`Projects` },
  { path: '/control/builds', label: phrase`Builds` },
  { path: '/control/limits', label: phrase`Limits` },
  { path: '/control/audit', label: phrase`Audit log` },
] as const;

/** Messages of the page that follows a form. URLs contain their names, so that no text of a URL is ever shown. */
const FLASH_MESSAGES = {
  'logged-out': phrase`Logged out.`,
  registered: phrase`Account created; you are logged in.`,
  'password-changed': phrase`Password changed. All other sessions have ended.`,
  'key-created': phrase`Key created.`,
  'key-disabled': phrase`Key disabled.`,
  'key-enabled': phrase`Key enabled.`,
  'key-deleted': phrase`Key deleted.`,
  shortened: phrase`Short URL created.`,
  'short-url-disabled': phrase`Short URL disabled.`,
  'short-url-enabled': phrase`Short URL enabled.`,
  'short-url-expiry': phrase`Expiry saved.`,
  'short-urls-disabled': phrase`Short URLs disabled.`,
  'short-urls-enabled': phrase`Short URLs enabled.`,
  'user-created': phrase`Account created.`,
  'user-disabled': phrase`Account disabled; its sessions have ended.`,
  'user-disabled-with-short-urls': phrase`Account and its short URLs disabled; its sessions have ended.`,
  'user-enabled': phrase`Account enabled.`,
  'user-verified': phrase`Account verified.`,
  'user-unverified': phrase`Verification of the account removed.`,
  'user-password': phrase`Password changed; all sessions of the account have ended.`,
  granted: phrase`Payment booked.`,
  reversed: phrase`Payment reversed.`,
  blocked: phrase`Block added.`,
  unblocked: phrase`Block removed.`,
  'project-created': phrase`Project created.`,
  'project-created-building': phrase`Project created; its first build has been requested.`,
  'project-created-unbuilt': phrase`Project created, but its first build could not be requested; request it below.`,
  'project-changed': phrase`Project changed.`,
  'project-changed-building': phrase`Project changed; the site is being published again.`,
  'project-changed-unbuilt': phrase`Project changed, but the build that shows it could not be requested; request it below.`,
  'project-removed': phrase`Project removed.`,
  'build-requested': phrase`Build requested.`,
  'build-retried': phrase`The build has been requested again; it waits or runs.`,
  'removal-retried': phrase`The version is being removed, or built if its branch or tag exists.`,
  'retry-joined': phrase`The same build waits already; nothing more was requested.`,
  'build-cancelled': phrase`Build cancelled.`,
  'builds-cancelled': phrase`Builds cancelled.`,
  'limits-set': phrase`Limits saved; they hold from now on.`,
  'limits-set-waiting': phrase`Limits saved; some take effect when the server is started again.`,
  replayed: phrase`Delivery replayed; its answer shows the result.`,
  purged: phrase`The CDN was told to forget the pages of this project.`,
  'test-delivered': phrase`Test notification delivered.`,
} as const;

/** The name of a message. */
export type FlashMessage = keyof typeof FLASH_MESSAGES;

const TEXT_OF_FLASH: ReadonlyMap<string | null, Phrase> = new Map(Object.entries(FLASH_MESSAGES));

/** The parts of a page besides its own model. */
interface PageFrame {
  readonly visitor?: Visitor | undefined;
  /** Path of its entry in the menu. */
  readonly section?: string;
  readonly formToken?: FormToken;
  /** Why the form that was sent failed. */
  readonly error?: string | Phrase;
  /** The field that is to blame. */
  readonly errorField?: string;
  /** The page of a form that was sent, which a change of the language returns to. */
  readonly path?: string;
  /** The domain that the console shares with sites of projects, where it must not. */
  readonly sharedDomain?: string | undefined;
  /** The form that was sent, to be shown again. */
  readonly form?: ReadonlyMap<string, string>;
}

/** Sends a page of the console; the caller has set the status. */
export function sendConsolePage(
  ctx: Context,
  template: string,
  model: { readonly initial?: Readonly<Record<string, string>>; readonly [name: string]: unknown },
  frame: PageFrame = {},
): void {
  const {
    visitor,
    section = '',
    formToken = visitor?.formToken ?? { token: '', account: '' },
    error = '',
    errorField = '',
    sharedDomain = '',
    form,
    path,
  } = frame;
  const reader = readerOf(ctx);
  const name = new URLSearchParams(ctx.querystring).get('flash');
  const page = {
    ...model,
    formToken,
    error,
    errorField,
    section,
    sharedDomain,
    flash: error === '' ? (TEXT_OF_FLASH.get(name) ?? '') : '',
    account: visitor?.user.account ?? '',
    menu: visitor ? MENU : [],
    operatorMenu: visitor?.user.isOperator ? OPERATOR_MENU : [],
    value: (field: string) => (form ? showField(field, form.get(field) ?? '') : (model.initial?.[field] ?? '')),
  };
  ctx.body = renderPage(`control/${template}`, page, path === undefined ? reader : { ...reader, path });
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

/** Returns what a field shows of what was entered there: nothing that is secret is sent back. */
function showField(field: string, text: string): string {
  if (field === 'password' || field === 'secret') return '';
  return field === 'url' ? hideCredentials(text.trim()) : text;
}
