import type pg from 'pg';
import { DataError } from '../data-error.ts';
import type { Query, Step } from '../transaction.ts';
import type { Connections } from './connections.ts';
import type { Row, Statement, Statements } from './statements.ts';

/** How a step ended. */
export type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** Sends statements over a connection one after the other, without waiting for answers. */
export interface Sender {
  send(statement: Statement | string): Promise<pg.QueryResult<Row>>;
  /** Resolves when all is answered; rejects with the first failure, of which the others are consequences. */
  done(): Promise<void>;
}

/** Creates a sender. */
export function createSender(client: pg.ClientBase): Sender {
  let last: Promise<unknown> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  const check = (): void => {
    if (failure) throw failure.error;
  };
  return {
    send(statement) {
      const answer = client.query<Row>(statement as string).then(
        (result) => {
          check();
          return result;
        },
        (error: unknown) => {
          failure ??= { error };
          throw failure.error;
        },
      );
      // Who does not wait for it is told by `done`.
      last = answer.catch(() => {});
      return answer;
    },
    async done() {
      await last;
      check();
    },
  };
}

/**
 * Runs a step; `ask` returns an answer, or a promise of one. What the step throws is an outcome, as is a DataError that a query leads to, as `fail` reports it. Rejects with what
 * the connection reports.
 */
export async function runStep<T>(
  step: Step<T>,
  ask: (query: Query) => unknown,
  fail: Connections['fail'],
): Promise<Outcome<T>> {
  let answer: unknown;
  for (;;) {
    let next: IteratorResult<Query, T>;
    try {
      next = step.next(answer);
    } catch (error) {
      return { error };
    }
    if (next.done) return { value: next.value };
    try {
      answer = ask(next.value);
      // Answers that come at once, query by query, are as of one moment.
      if (answer instanceof Promise) answer = await answer;
    } catch (error) {
      if (error instanceof DataError) return { error: fail(error) };
      throw error;
    }
  }
}

/** Answers a query; what it changes is sent, but not waited for. */
export async function answerQuery(query: Query, statements: Statements, sender: Sender): Promise<unknown> {
  const sent = statements.write(query).map((statement) => sender.send(statement));
  if (query.kind === 'put' || query.kind === 'turn') return undefined;
  const { rows } = await sent.at(-1)!;
  return statements.readAnswer(query, rows);
}
