import type pg from 'pg';
import { phrase } from '../../lib/phrase.ts';
import { DataError } from '../data-error.ts';
import type { Database, Query, Step } from '../transaction.ts';
import type { Connections } from './connections.ts';
import type { HotAnswers } from './hot-answers.ts';
import { answerQuery, createSender, type Outcome, runStep, type Sender } from './run-step.ts';
import type { Statements } from './statements.ts';

/** Steps that wait for their first answer; more are refused. */
const MAX_WAITING = 1_000;
const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Creates what runs steps that change nothing, side by side, each in a transaction that sees one moment. */
export function createReader(context: {
  readonly connections: Connections;
  readonly statements: Statements;
  readonly hot: HotAnswers;
}): Database['read'] {
  const { connections, statements, hot } = context;
  const { readers, fail } = connections;
  /** Steps whose first query is not answered yet. */
  let waiting = 0;
  return async <T>(step: Step<T>): Promise<T> => {
    let transaction: { readonly client: pg.PoolClient; readonly sender: Sender } | undefined;
    /** Begins the transaction with its first query, which is asked again where its connection turns out to be broken. */
    const begin = async (query: Query): Promise<unknown> => {
      const client = await readers.connect();
      const sender = createSender(client);
      sender.send(BEGIN);
      try {
        const answer = await hot.ask(query, () => answerQuery(query, statements, sender));
        transaction = { client, sender };
        return answer;
      } catch (error) {
        client.release(true);
        throw error;
      }
    };
    const beginInTime = async (query: Query): Promise<unknown> => {
      if (waiting >= MAX_WAITING) {
        throw new DataError('busy', phrase`Too many requests wait for the database; try again in a moment`);
      }
      waiting++;
      try {
        return await connections.insist(() => begin(query));
      } finally {
        waiting--;
      }
    };
    const ask = (query: Query): unknown => {
      if (transaction) return answerQuery(query, statements, transaction.sender);
      // A rule that begins with such an answer asks for nothing else.
      const known = hot.find(query);
      return known ? known.answer : beginInTime(query);
    };
    const outcome = await runStep(step, ask, fail)
      .catch((error: unknown): Outcome<T> => ({ error: fail(error) }))
      .finally(() => {
        if (!transaction) return;
        const { client, sender } = transaction;
        sender.send('COMMIT');
        sender.done().then(
          () => client.release(),
          () => client.release(true),
        );
      });
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
}
