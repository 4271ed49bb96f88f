import type pg from 'pg';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { type Block, blocks } from '../records/block.ts';
import { projects } from '../records/project.ts';
import { createTables, type Tables } from '../tables/tables.ts';
import type { Query, Step } from '../transaction.ts';
import { answerQuery, createSender } from './run-step.ts';
import type { Statements } from './statements.ts';

/**
 * Answers to the questions of every request for a page, in memory: all blocks, and the projects that were asked for last, by name or host. They
 * are what the database has, since nodes tell each other of changes; while the connection is lost, what it had.
 */
export interface HotAnswers {
  /** Returns the answer to a query where it is known. */
  find(query: Query): { readonly answer: unknown } | undefined;
  /**
   * Asks the database, and remembers the answer if it is one of those that are asked for often. Where others are given another answer
   * meanwhile, neither is remembered: nobody can tell which is the newer one.
   */
  ask(query: Query, ask: () => Promise<unknown>): Promise<unknown>;
  /** Makes changes that the database has committed, in their order. */
  apply(changes: readonly Query[]): void;
  /** Forgets what another node has changed: these projects, and all blocks where `hasBlocks`, which are asked until `load`. */
  forgetChanged(changed: { readonly projects: readonly string[]; readonly hasBlocks: boolean }): void;
  /** Reads all blocks, unless they are known. */
  load(client: pg.ClientBase, statements: Statements): Promise<void>;
  /** Forgets everything, where the database may have changed unseen; it is asked until `load`. */
  forget(): void;
}

/** Projects; and the length of their names and of them as JSON. */
const MAX_ANSWERS = 10_000;
const MAX_CHARACTERS = 20_000_000;
/** Hosts and names that have no project. They have a place of their own: anybody may make them up. */
const MAX_ABSENT = 1_000;
/** The longest name that a query is kept by, a host's; no project has a longer one. */
const MAX_NAME = 'domain '.length + 253;

/** An answer that was given. */
interface Known {
  readonly query: Query;
  readonly answer: unknown;
  readonly weight: number;
}

/** A query that is being asked, perhaps by several at once: answers may overtake each other. */
interface Asking {
  /** How many wait for an answer. */
  waiting: number;
  /** How many answers have come. */
  answers: number;
  /** The last one, as JSON; and the number of the first one since which all have been equal to it. */
  last: string;
  since: number;
}

/** Creates empty answers. */
export function createHotAnswers(): HotAnswers {
  let present: Tables | undefined;
  const createKnown = () =>
    createBoundedMap<string, Known>({
      maxEntries: MAX_ANSWERS,
      maxWeight: MAX_CHARACTERS,
      weigh: ({ weight }) => weight,
    });
  const createAbsent = () => createBoundedMap<string, Known>({ maxEntries: MAX_ABSENT });
  let known = createKnown();
  let absent = createAbsent();
  const asking = new Map<string, Asking>();
  /** Goes up with every change: an answer that was on its way meanwhile may be from before. */
  let revision = 0;
  /** Goes up with every change of a block. */
  let blockRevision = 0;

  const forgetProject = (key: string, record: unknown): void => {
    for (const map of [known, absent]) {
      for (const [name, { query, answer }] of [...map.entries()]) {
        if (isAbout(query, answer, key) || (record !== undefined && isInGroup(query, record))) map.delete(name);
      }
    }
  };

  return {
    find(query) {
      if (present && collectionOf(query) === blocks) return { answer: present.read(yieldOnce(query)) };
      const name = nameQuery(query);
      return name === undefined ? undefined : (known.get(name) ?? absent.get(name));
    },
    async ask(query, ask) {
      const name = nameQuery(query);
      if (name === undefined) return await ask();
      const own = asking.get(name) ?? { waiting: 0, answers: 0, last: '', since: 0 };
      asking.set(name, own);
      own.waiting++;
      const [before, answersBefore] = [revision, own.answers];
      try {
        const answer = await ask();
        const json = JSON.stringify(answer ?? []);
        own.answers++;
        if (json !== own.last) Object.assign(own, { last: json, since: own.answers });
        if (own.since > answersBefore + 1) {
          known.delete(name);
          absent.delete(name);
        } else if (present && before === revision) {
          (json === '[]' ? absent : known).set(name, { query, answer, weight: name.length + json.length });
        }
        return answer;
      } finally {
        if (--own.waiting === 0) asking.delete(name);
      }
    },
    apply(changes) {
      for (const query of changes) {
        const collection = collectionOf(query);
        if (collection === blocks) {
          blockRevision++;
          present?.transact(yieldOnce(query));
        }
        if (collection !== projects) continue;
        revision++;
        if (query.kind === 'put') forgetProject(projects.keyOf(query.record as never), query.record);
        if (query.kind === 'remove') forgetProject(query.key, undefined);
      }
    },
    forgetChanged({ projects: keys, hasBlocks }) {
      revision++;
      for (const key of keys) forgetProject(key, undefined);
      // They may have the names of what was missing.
      if (keys.length > 0) absent = createAbsent();
      if (!hasBlocks) return;
      blockRevision++;
      present = undefined;
    },
    async load(client, statements) {
      const query: Query = { kind: 'list', index: blocks.indexes.inOrder, group: '', range: {} };
      while (!present) {
        const before = blockRevision;
        const records = (await answerQuery(query, statements, createSender(client))) as readonly Block[];
        if (before !== blockRevision) continue;
        const tables = createTables([blocks]);
        for (const record of records) tables.transact(yieldOnce({ kind: 'put', collection: blocks, record }));
        present = tables;
        revision++;
      }
    },
    forget() {
      blockRevision++;
      present = undefined;
      known = createKnown();
      absent = createAbsent();
      revision++;
    },
  };
}

function collectionOf(query: Query): unknown {
  if (query.kind === 'turn') return undefined;
  return 'index' in query ? query.index.collection : query.collection;
}

/** Returns the name that the answer to a query is kept by; undefined for what is not kept. */
function nameQuery(query: Query): string | undefined {
  if (collectionOf(query) !== projects) return undefined;
  let name: string | undefined;
  if (query.kind === 'get') name = `key ${query.key}`;
  if (query.kind === 'list' && query.index === projects.indexes.byDomain && query.range.limit === 1) {
    name = `domain ${query.group}`;
  }
  return name !== undefined && name.length <= MAX_NAME ? name : undefined;
}

function isAbout(query: Query, answer: unknown, key: string): boolean {
  if (query.kind === 'get') return query.key === key;
  return (answer as readonly unknown[]).some((record) => projects.keyOf(record as never) === key);
}

function isInGroup(query: Query, record: unknown): boolean {
  return query.kind === 'list' && query.index.groupOf(record) === query.group;
}

function* yieldOnce(query: Query): Step<unknown> {
  return yield query;
}
