import type { Context } from 'koa';
import type { ConsoleForm } from './read-checked-form.ts';
import type { Said } from './said.ts';
import type { Visitor } from './visitor.ts';

/** What a page or an action is asked with. */
export interface ConsoleRequest {
  readonly ctx: Context;
  readonly visitor: Visitor;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** A page for those who are logged in. */
export interface ConsolePage {
  /** `:name` for what varies. */
  readonly path: string;
  /** Pages for operators do not exist for others. */
  readonly isForOperators: boolean;
  /** Path in the menu that it belongs to. */
  readonly section: string;
  /** Name in `templates/console/control/`. */
  readonly template: string;
  readonly model: (request: ConsoleRequest) => Promise<object>;
}

/** What a form of a page does. */
export interface ConsoleAction {
  readonly path: string;
  /** The page that is shown with what is wrong, where it cannot be done; its path takes the same parameters. */
  readonly page: ConsolePage;
  /** Where blocked sources may not do it. */
  readonly isRefusedToBlocked?: boolean;
  readonly run: (request: ConsoleRequest & { readonly form: ConsoleForm }) => Promise<Destination>;
}

/** The page that a form leads to once it is done. */
export interface Destination {
  readonly path: string;
  readonly said?: Said;
}

/** Pages and actions of one part of the console. */
export interface ConsolePart {
  readonly pages: readonly ConsolePage[];
  readonly actions: readonly ConsoleAction[];
}
