import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InspectionOptions, RepositoryReport } from '../../builder/index.ts';
import { DataError } from '../../data/data-error.ts';
import { createFairSemaphore, type FairSemaphore } from '../../lib/fair-semaphore.ts';
import { createPhraseReader, type Phrase, phrase } from '../../lib/phrase.ts';
import { parseRepositoryAddress } from '../../lib/repository-address.ts';
import type { InspectionOutcome } from '../builds/build-processes.ts';
import { excludedRefs } from '../builds/excluded-refs.ts';
import { getProject } from '../projects/get-project.ts';
import { type ProjectSettings, parseSettings } from '../projects/project-settings.ts';
import { type OperationScope, operation } from './operation.ts';

export type { RepositoryReport };
/** A branch or a tag in a report. */
export type ReportedRef = RepositoryReport['refs'][number];

/** How long the list of refs may take, and as long the folders; somebody waits for the page. */
const TIMEOUT_MS = 20_000;
/** Starting a process may take a while. */
const GRACE_MS = 10_000;
/** Folders without files: those of the Linux kernel are 2 MB. */
const MAX_FETCH_BYTES = 50_000_000;
const MAX_AT_ONCE = 2;
const MAX_WAITING = 10;

/** Looks at a repository before anything is saved or built. */
export const inspectionOperations = {
  /**
   * Looks at a repository as a build with these settings would; those of the project `name` hold where none are given, the
   * credentials of its address included. Throws DataError: `invalid` says what is wrong, `busy` that too many are looking.
   */
  inspectRepository: operation(
    async (
      input: {
        readonly name?: string;
        readonly settings: Partial<Pick<ProjectSettings, 'url' | 'sourceDir' | 'lang' | 'meta'>>;
      },
      scope,
    ): Promise<RepositoryReport> => {
      const { name, settings } = input;
      const known = name === undefined ? undefined : await getProject(scope.store, name);
      const { url, sourceDir = '', lang = [], meta = {} } = { ...known, ...parseSettings(settings) };
      if (url === undefined) throw new DataError('invalid', phrase`The URL of the repository is missing`);
      const permit = await scope.inspectionTurns.acquire({ lane: '', owner: '' }, TIMEOUT_MS);
      if ('refusal' in permit)
        throw new DataError('busy', phrase`Too many repositories are being looked at; try again`);
      try {
        const options = {
          repository: url,
          sourceDir: sourceDir === '' ? undefined : sourceDir,
          lang: lang.length > 0 ? lang : undefined,
          exclude: excludedRefs({ meta }),
        };
        const outcome = await inspect(options, scope);
        if (outcome.kind === 'inspected') return outcome.report;
        throw new DataError('invalid', describeFailure(outcome, url));
      } finally {
        permit.release();
      }
    },
    'none',
  ),
};

/** Creates what limits how many look at repositories at once. */
export function createInspectionTurns(): FairSemaphore {
  return createFairSemaphore({ permits: MAX_AT_ONCE, maxWaiting: MAX_WAITING, maxWaitingEach: MAX_WAITING });
}

async function inspect(
  options: Omit<InspectionOptions, 'cacheFolder' | 'limits'>,
  { processes, ...scope }: OperationScope,
): Promise<InspectionOutcome> {
  const limits = scope.limits();
  const timeoutMs = Math.min(TIMEOUT_MS, limits.timeoutMs);
  const maxFetchBytes = Math.min(MAX_FETCH_BYTES, limits.maxFetchBytes);
  const cacheFolder = await mkdtemp(join(tmpdir(), 'docbuild-inspection-'));
  try {
    const inspection = { ...options, cacheFolder, limits: { ...limits, timeoutMs, maxFetchBytes } };
    return await processes.inspect({ inspection }, { timeoutMs: 2 * timeoutMs + GRACE_MS });
  } finally {
    await rm(cacheFolder, { recursive: true, force: true });
  }
}

/** Turns the engine's messages about most addresses that lead to no repository into phrases: they are English. */
const readEngineMessage = createPhraseReader([
  phrase`Cannot reach "${0}": the connection was refused`,
  phrase`Cannot reach "${0}": the connection was closed`,
  phrase`Cannot reach "${0}": connecting timed out`,
  phrase`Cannot reach "${0}": its name cannot be resolved (${1})`,
  phrase`"${0}" does not exist (${1}), or is private and needs credentials`,
  phrase`"${0}" answers with status ${1}`,
  phrase`Cannot open "${0}": the folder does not exist`,
]);

/** Returns what is wrong with a repository, in words for whoever wrote its address; without credentials. */
function describeFailure(outcome: Exclude<InspectionOutcome, { kind: 'inspected' }>, url: string): Phrase | string {
  if (outcome.kind === 'timeout') return phrase`It took too long to look at the repository; try again later`;
  if (outcome.code !== 'authentication') return readEngineMessage(outcome.message) ?? outcome.message;
  const address = parseRepositoryAddress(url);
  if (address.kind !== 'http') return outcome.message;
  return address.credentials === undefined
    ? phrase`"${address.url}" requires credentials: write a read-only token into the URL, https://NAME:TOKEN@…`
    : phrase`"${address.url}" does not accept the credentials in the URL, or they do not permit reading`;
}
