import { randomUUID } from 'node:crypto';
import { COLLECTIONS, createStore, type Store } from '../store.ts';
import { createConnections, insistOn, type Patience, toDataError } from './connections.ts';
import { createHotAnswers } from './hot-answers.ts';
import { migrate } from './migrate.ts';
import { openOwnerSession } from './owner-session.ts';
import { createReader } from './reader.ts';
import { createStatements } from './statements.ts';
import { createWriter } from './writer.ts';

/** Where the database is, and listeners for trouble. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`; what it leaves out is read from `PG*`. */
  readonly url: string;
  readonly onWarning: (message: string) => void;
  /** Called for changes that cannot be made. */
  readonly onWriteFailed?: (() => void) | undefined;
  /** How long things may take; default: `PATIENCE`. */
  readonly patience?: Patience;
}

/**
 * Opens the store in a PostgreSQL database, which no other process may use meanwhile, and brings its tables up to this release.
 * A server that cannot be reached is waited for. Throws DataError `busy`, `unwritable`, and `invalid` for a database that
 * cannot be used.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, onWarning, onWriteFailed = () => {}, patience } = options;
  const connections = createConnections(url, { patience, onWarning });
  const { name } = connections;
  const statements = createStatements(COLLECTIONS);
  const hot = createHotAnswers();
  const owner = randomUUID();
  try {
    const session = await insistOn(() => openOwnerSession(connections), {
      ...{ name, waitMs: connections.patience.startMs, onWait: onWarning },
    });
    try {
      await migrate(session.client, { name, collections: COLLECTIONS, owner, onWarning });
      await hot.load(session.client, statements);
    } catch (error) {
      await session.close();
      throw toDataError(error, name);
    }
    const writer = createWriter({ connections, statements, hot, session, owner, onWarning, onWriteFailed });
    return createStore({
      read: createReader({ connections, statements, hot }),
      transact: writer.transact,
      async close() {
        await writer.close();
        await connections.close();
      },
    });
  } catch (error) {
    await connections.close();
    throw error;
  }
}
