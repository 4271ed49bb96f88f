import type { Context } from 'koa';
import type { ShortUrl } from '../../data/records/short-url.ts';
import type { ShortTermMemory } from '../../data/short-term-memory.ts';
import type { Store } from '../../data/store.ts';
import type { FlashSecrets } from '../../platform/accounts/flash-secrets.ts';
import type { Accounts } from '../../platform/accounts/users.ts';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Blocks } from '../../platform/blocks/blocks.ts';
import type { Settings } from '../../platform/config/settings.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { IdempotencyCache } from '../../platform/operations/idempotency-cache.ts';
import type { Operations, OperationsFor } from '../../platform/operations/operations.ts';
import type { ProjectDrafts } from '../../platform/operations/project-drafts.ts';
import type { ListedShortUrl, OwnChange } from '../../platform/short-urls/list-short-urls.ts';
import type { RedirectCounter } from '../../platform/short-urls/redirect-counter.ts';
import type { BegunSession, Callers } from '../http/callers.ts';
import type { CheckChange } from '../http/check-change.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { ConsoleForm, Visitor } from './forms.ts';
import type { FlashMessage } from './send-console-page.ts';

/** Begins a session by an account and its password. */
type BeginSession = (
  ctx: Context,
  credentials: { readonly account: string; readonly password: string },
) => Promise<BegunSession>;

/** Services that the console uses. */
export interface ConsoleServices {
  readonly settings: Settings;
  readonly store: Store;
  readonly accounts: Accounts;
  readonly blocks: Blocks;
  readonly callers: Callers;
  readonly operationsFor: OperationsFor;
  readonly audit: Pick<Audit, 'record'>;
  readonly rateLimits: Pick<Limits, 'list' | 'isInFile'>;
  readonly redirects: RedirectCounter;
  readonly now: () => Date;
  readonly memory: ShortTermMemory;
  /** Base URLs without a final slash. */
  readonly baseUrl: string;
  readonly docsApiUrl: string;
  readonly siteUrl: (project: { readonly name: string; readonly domain: string }) => string;
  readonly login: BeginSession;
  /**
   * Throws where this is not the visitor's own password: what a session left open must not be enough for. Attempts count
   * like logins, so that such a session does not help to guess the password.
   */
  readonly checkPassword: (
    ctx: Context,
    credentials: { readonly account: string; readonly password: string },
  ) => Promise<void>;
  readonly registration: { readonly register: BeginSession };
  readonly checkChange: CheckChange;
  /** Returns what the GitHub App has done about the webhook of a project in this process; undefined = nothing. */
  readonly findHook: (project: string) => { readonly result: string; readonly message: string } | undefined;
  readonly makeShortUrl: (
    ctx: Context,
    input: {
      readonly uid: string;
      readonly longUrl: string;
      readonly jid: string | undefined;
      readonly expiresAt: string | undefined;
    },
  ) => Promise<ShortUrl>;
  readonly changeOwn: (
    own: { readonly uid: string; readonly code: string },
    change: OwnChange,
  ) => Promise<ListedShortUrl>;
}

/** State and services of one console, shared by its pages. */
export interface ConsoleContext extends ConsoleServices {
  readonly flashSecrets: FlashSecrets;
  readonly idempotency: IdempotencyCache;
  readonly drafts: ProjectDrafts;
}

/** A request to a page or an action. */
export interface ConsoleRequest {
  readonly ctx: Context;
  readonly visitor: Visitor;
  /** In the name of the visitor. */
  readonly operations: Operations;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The form that failed, where its page is shown again. */
  readonly form?: ConsoleForm;
}

/** A request with a form. */
export interface SubmittedRequest extends ConsoleRequest {
  readonly form: ConsoleForm;
}

/** A page for users who are logged in. */
export interface ConsolePage {
  /** `:name` stands for what varies. */
  readonly path: string;
  /** Whether the page exists for operators only. */
  readonly isForOperators: boolean;
  /** Path of its entry in the menu. */
  readonly section: string;
  /** Name in `templates/console/control/`. */
  readonly template: string;
  /** In `initial` fields stand with what they show before their form was sent. */
  readonly model: (
    request: ConsoleRequest,
  ) => Promise<{ readonly initial?: Readonly<Record<string, string>>; readonly [name: string]: unknown }>;
}

/** The action of a form. */
export interface ConsoleAction {
  readonly path: string;
  /** The page that is shown with an error where the action fails; its path takes the same parameters. */
  readonly page: ConsolePage;
  /** Runs the action and returns the page to show next. */
  readonly run: (request: SubmittedRequest) => Promise<{ readonly path: string; readonly flash?: FlashMessage }>;
}

/** Pages and actions of one part of the console. */
export interface ConsolePart {
  readonly pages: readonly ConsolePage[];
  readonly actions: readonly ConsoleAction[];
}

/** The start page. */
export const HOME = '/control/';

/** Returns a route of the console; the router decodes its parameters. */
export function consoleRoute(
  method: 'get' | 'post',
  path: string,
  handle: (ctx: Context, params: Readonly<Record<string, string>>) => Promise<void>,
): Route {
  return defineRoute({
    method,
    paths: [path],
    summary: 'A page of the console',
    tag: 'console',
    area: 'auth',
    answers: { 200: { description: 'A page', media: 'text/html' } },
    handle: (ctx, { params }) => handle(ctx, params),
  });
}
