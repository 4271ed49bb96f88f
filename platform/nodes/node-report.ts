import { DataError } from '../../data/data-error.ts';
import type { KnownNode, NodeState, Nodes } from '../../data/nodes.ts';
import type { Build } from '../../data/records/build.ts';
import type { Store } from '../../data/store.ts';
import type { Config } from '../config/config-schema.ts';
import type { WriteCheck } from '../write-check.ts';
import { hashSettings, listDifferences } from './setting-hashes.ts';

/** A process that serves or builds, for operators. */
export interface ListedNode extends Omit<KnownNode, 'settings'> {
  /** 0 = the only process of the service. */
  readonly id: number;
  /** Builds it is at. */
  readonly builds: readonly Pick<Build, 'id' | 'project' | 'ref' | 'startedAt'>[];
}

/** The part that this process plays among the nodes of the service: it reports itself, and hears of the others. */
export interface NodeReport {
  /**
   * Lists this process among those that serve or build; from then on it says what becomes of it. Throws DataError `invalid`, which
   * names keys and nodes, where its configuration is not that of others, unless it may be (`isMixed`).
   */
  join(options: { readonly isMixed: boolean }): Promise<void>;
  /** Compares a configuration that was read again with those of others, which may be about to read it, too. */
  replace(): Promise<void>;
  /** Says that this process was told to stop. */
  drain(): Promise<void>;
  /** Returns all processes that serve or build, in the order of their starts; a command is none. */
  list(): Promise<readonly ListedNode[]>;
  /** Says nothing more. */
  stop(): void;
}

/** How often a node says what becomes of it, ms. */
const TELL_MS = 10_000;
/** Keys that a message names. */
const MAX_NAMED = 10;

/** Creates the report of a process. */
export function createNodeReport(options: {
  /** Where several processes use the store. */
  readonly nodes: Nodes | undefined;
  readonly builds: Pick<Store['builds'], 'listRunning'>;
  readonly about: Pick<NodeState, 'name' | 'role' | 'version'>;
  /** Returns the configuration as files say. */
  readonly configured: () => Config;
  readonly checkWrites: WriteCheck;
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
}): NodeReport {
  const { nodes, builds, about, configured, checkWrites, now, onWarning } = options;
  let state: NodeState | undefined;
  let timer: NodeJS.Timeout | undefined;
  const hash = async (): Promise<NodeState['settings']> =>
    nodes ? await hashSettings(configured(), await nodes.findSalt()) : {};

  const tell = async (changes: Partial<NodeState>): Promise<void> => {
    if (!state) return;
    state = { ...state, ...changes };
    await nodes?.tell(state);
  };
  /** It is told again if it could not be stored. */
  const keepTelling = async (): Promise<void> => {
    const trouble = await checkWrites();
    await tell({ trouble }).catch(() => {});
  };
  return {
    async join({ isMixed }) {
      const settings = await hash();
      const joined: NodeState = { ...about, since: now().toISOString(), isDraining: false, trouble: '', settings };
      await nodes?.join(joined, (others) => {
        const why = compare(settings, others);
        if (why === '') return;
        if (isMixed) return onWarning(`${why}; give all nodes the same`);
        throw new DataError(
          'invalid',
          `${why}. Give all nodes the same; to replace them one after the other, start this one with --mixed-config`,
        );
      });
      state = joined;
      timer = setInterval(keepTelling, TELL_MS).unref();
    },
    async replace() {
      if (!nodes || !state) return;
      const settings = await hash();
      await tell({ settings });
      const others = (await nodes.list()).filter(({ id, isGone }) => id !== nodes.id && !isGone);
      const why = compare(settings, others);
      if (why !== '') onWarning(`${why}; give all nodes the same, and let them read it again`);
    },
    async drain() {
      await tell({ isDraining: true }).catch(() => {});
    },
    async list() {
      const alone = state && { ...state, id: 0, seen: now().toISOString(), isGone: false, isOnDuty: true };
      if (alone && !nodes) alone.trouble = await checkWrites();
      const known: readonly KnownNode[] = nodes ? await nodes.list() : alone ? [alone] : [];
      const running = await builds.listRunning();
      return known.map(({ settings: _, ...node }) => ({
        ...node,
        builds: running
          .filter(({ run }) => run?.node === node.id)
          .map(({ id, project, ref, startedAt }) => ({ id, project, ref, startedAt })),
      }));
    },
    stop() {
      clearInterval(timer);
      state = undefined;
    },
  };
}

/** Returns which keys differ from those of which node, the first one that has another configuration; '' = none does. */
function compare(settings: NodeState['settings'], others: readonly Pick<NodeState, 'name' | 'settings'>[]): string {
  for (const other of others) {
    const keys = listDifferences(settings, other.settings);
    if (keys.length === 0) continue;
    const named = keys.slice(0, MAX_NAMED).map((key) => `"${key}"`);
    const more = keys.length > MAX_NAMED ? ` and ${keys.length - MAX_NAMED} more` : '';
    const subject = keys.length === 1 ? `key ${named[0]} differs` : `keys ${named.join(', ')}${more} differ`;
    return `Unlike the configuration of node "${other.name}": ${subject}`;
  }
  return '';
}
