import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BenchCase } from './bench-case.ts';
import { answersCase } from './cases/answers.ts';
import { coldCase } from './cases/cold.ts';
import { copyCase } from './cases/copy.ts';
import { devCase } from './cases/dev.ts';
import { diskCase } from './cases/disk.ts';
import { floorsCase } from './cases/floors.ts';
import { generatorsCase } from './cases/generators.ts';
import { httpCase } from './cases/http.ts';
import { endlessCase, versionsCase } from './cases/memory.ts';
import { neighbourCase } from './cases/neighbour.ts';
import { neighbourNodesCase } from './cases/neighbour-nodes.ts';
import { newestCase } from './cases/newest.ts';
import { nodesCase } from './cases/nodes.ts';
import { onePageCase } from './cases/one-page.ts';
import { paintCase } from './cases/paint.ts';
import { postgresCase } from './cases/postgres.ts';
import { pushToLiveCase } from './cases/push-to-live.ts';
import { readingCase } from './cases/reading.ts';
import { datesCase, largeRemoteCase, remoteCase, serversCase } from './cases/remote.ts';
import { searchCase } from './cases/search.ts';
import { servingCase } from './cases/serving.ts';
import { shortUrlsCase } from './cases/short-urls.ts';
import { largeSitesInS3Case, sitesInS3Case } from './cases/sites-in-s3.ts';
import { storeCase } from './cases/store.ts';
import { syntheticCase } from './cases/synthetic.ts';
import { unchangedCase } from './cases/unchanged.ts';
import { openCorpus } from './corpus/open-corpus.ts';
import { openPeers } from './peers/open-peers.ts';
import { profileCold } from './profile/profile-cold.ts';
import { formatResult } from './report/format-table.ts';

const CASES: readonly BenchCase[] = [
  coldCase,
  newestCase,
  unchangedCase,
  onePageCase,
  diskCase,
  devCase,
  httpCase,
  syntheticCase,
  remoteCase,
  largeRemoteCase,
  datesCase,
  serversCase,
  versionsCase,
  endlessCase,
  generatorsCase,
  searchCase,
  paintCase,
  readingCase,
  pushToLiveCase,
  neighbourCase,
  servingCase,
  answersCase,
  floorsCase,
  storeCase,
  postgresCase,
  copyCase,
  sitesInS3Case,
  largeSitesInS3Case,
  nodesCase,
  neighbourNodesCase,
  shortUrlsCase,
];

const flags = readFlags();
const unknown = flags.only.find((name) => !CASES.some((one) => one.name === name));
if (unknown !== undefined) {
  console.error(`There is no case "${unknown}"; cases: ${CASES.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'docbuild-bench-'));
const clean = (): void => rmSync(folder, { recursive: true, force: true });
process.on('exit', clean);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const corpus = openCorpus(folder);
if (!corpus)
  say('The corpus (../shared/corpus/vitepress-docs.bundle) is not there: only the synthetic cases are measured');
const peers = flags.peers && corpus ? await openPeers(corpus, folder) : undefined;
console.log(`Node ${process.version}, ${availableParallelism()} cores, load ${readLoad()} at the start\n`);
if (flags.profile) {
  console.log(await profileCold(folder, corpus));
} else {
  for (const one of CASES) {
    if ((flags.only.length > 0 && !flags.only.includes(one.name)) || (one.needsCorpus && !corpus)) continue;
    const place = join(folder, one.name);
    mkdirSync(place);
    say(`${one.name}: ${one.title}`);
    const [short, long] = flags.quick ? [2, 1] : [5, 3];
    const bench = { folder: place, corpus, peers, short, long, calm: flags.calm, say };
    console.log(formatResult(one.title, await one.run(bench)));
  }
  console.log(`Load ${readLoad()} at the end`);
}

/** Returns the machine's load over the last minute. */
function readLoad(): string {
  return readFileSync('/proc/loadavg', 'utf8').split(' ')[0]!;
}

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        peers: { type: 'boolean', default: false },
        calm: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
      },
    });
    return values;
  } catch (error) {
    console.error(`${(error as Error).message}; flags: --quick, --only NAME, --peers, --calm, --profile`);
    process.exit(2);
  }
}
