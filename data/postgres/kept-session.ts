import { DataError } from '../data-error.ts';
import { type Connections, isRejection } from './connections.ts';
import type { HotAnswers } from './hot-answers.ts';
import { type NodeSession, openNodeSession, UnusableServer } from './node-session.ts';
import { joinNodes, leaveNodes } from './node-table.ts';
import { type Notice, readNotice } from './notices.ts';
import { createPauses } from './pauses.ts';
import type { Statements } from './statements.ts';

/** The session of this node, in place of which another one is opened when it is lost and somebody needs it. */
export interface KeptSession {
  /** Returns the open session, or opens one within the time that an outage may take. */
  get(): Promise<NodeSession>;
  /** Does the same, but returns undefined while others open it. */
  find(): Promise<NodeSession> | undefined;
  /** Ends a session whose connection is broken. */
  lose(session: NodeSession): void;
  /** Leaves the database to other nodes. */
  close(): Promise<void>;
}

export interface KeptSessionOptions {
  readonly connections: Connections;
  readonly statements: Statements;
  /** Forgotten and loaded again with each session but the first. */
  readonly hot: HotAnswers;
  readonly node: number;
  /** Open already, of a node that is listed. */
  readonly session: NodeSession;
  /** Called for what other nodes have changed. */
  readonly onNotice: (notice: Notice) => void;
  /** Called when others were not heard for a while, before changes go on. */
  readonly onGap: () => void;
  /** Called when no session could be opened, with the error for callers. */
  readonly onOutage: (failure: DataError) => void;
}

/** Longest pause, in heartbeats, where sessions are refused one after the other. */
const MAX_PAUSE_BEATS = 4;

/** Creates what keeps a session. */
export function createKeptSession(options: KeptSessionOptions): KeptSession {
  const { connections, statements, hot, node, onNotice, onGap, onOutage } = options;
  let session: NodeSession | undefined = options.session;
  let { identity } = options.session;
  let opening: Promise<NodeSession> | undefined;
  const { heartbeatMs } = connections.patience;
  const pauses = createPauses({ firstMs: heartbeatMs, maxMs: MAX_PAUSE_BEATS * heartbeatMs });
  /** Why the last session was refused. */
  let refusal: unknown;

  const get = async (): Promise<NodeSession> => {
    if (session) return session;
    if (!opening && pauses.isPausing()) throw refusal;
    opening ??= connections
      .insist(reopen)
      .catch((error: unknown) => {
        const failure = connections.fail(error);
        if (isRejection(error)) {
          pauses.fail();
          refusal = error;
        }
        onOutage(failure);
        throw error;
      })
      .finally(() => {
        opening = undefined;
      });
    return await opening;
  };
  const reopen = async (): Promise<NodeSession> => {
    let opened: NodeSession | undefined;
    try {
      opened = await openNodeSession(connections, { node, lost: identity });
      ({ identity } = opened);
      await joinNodes(opened.client, node, connections.self);
      hear(opened);
      hot.forget();
      await hot.load(opened.client, statements);
      session = opened;
      pauses.succeed();
      onGap();
      return opened;
    } catch (error) {
      opened?.destroy();
      if (error instanceof DataError || error instanceof UnusableServer) hot.forget();
      throw error;
    }
  };
  const hear = ({ client }: NodeSession): void => {
    client.on('notification', ({ payload }) => {
      const notice = readNotice(payload);
      if (notice.node !== node) onNotice(notice);
    });
  };
  hear(options.session);

  return {
    get,
    find: () => (opening ? undefined : get()),
    lose(lost) {
      lost.destroy();
      if (session === lost) session = undefined;
    },
    async close() {
      await opening?.catch(() => {});
      if (!session) return;
      await leaveNodes(session.client, node).catch(() => {});
      await session.close();
    },
  };
}
