import { setTimeout as sleep } from 'node:timers/promises';
import type { Operations } from '../../platform/operations/operations.ts';
import { type Check, describeTimes, tally } from '../attacks/attack.ts';
import type { MarkedProject } from '../fleet/marked-project.ts';
import type { Actions } from './load-fleet.ts';
import { type Fleet, PER_DAY } from './open-fleet.ts';
import type { PageReader } from './read-pages.ts';

const SETTLE_MS = 60_000;
/** Comparisons with the repository, every minute, find pushes whose hooks were lost or refused. */
const POLL_MS = 150_000;
const AT_ONCE = 1_000;

/** Checks at the end what must have held all the time. */
export async function checkFleet(context: {
  readonly fleet: Fleet;
  readonly actions: Actions;
  readonly reader: PageReader;
  readonly pushMs: readonly number[];
  readonly projects: readonly MarkedProject[];
}): Promise<readonly Check[]> {
  const { fleet, actions, reader, pushMs, projects } = context;
  const { acknowledged, problems, payer } = actions;
  const operations = await fleet.webs[0]!.operations();
  await waitForBuilds(operations);
  const lost = await findLost(fleet, actions, operations);
  const wrongQuotas = await findWrongQuotas(acknowledged.customers, operations);
  const { credits } = await operations.getPlan({ uid: payer });
  const { counted, unknown } = acknowledged.payments;
  const ledger = await operations.checkLedger({});
  const stale: string[] = [];
  for (const project of projects) {
    for (const node of fleet.webs) {
      const endMs = performance.now() + POLL_MS;
      while ((await reader.readMark(node.origin, project)) !== project.mark && performance.now() < endMs)
        await sleep(500);
      const mark = await reader.readMark(node.origin, project);
      if (mark !== project.mark) stale.push(`${node.name} shows push ${mark} of ${project.mark} of ${project.name}`);
    }
  }
  const builds = await fleet.watch.findProblems();
  const { builds: count, published, again, late } = await fleet.watch.count();
  const nodes = [...fleet.webs, ...fleet.builds];
  const ends = nodes.flatMap((node) => node.ends);
  const requests = [...reader.statuses].map(([status, number]) => `${status || 'none'} × ${number}`).join(', ');
  const { projects: created, shortUrls, builds: requested, customers } = acknowledged;
  return [
    check('nothing that was acknowledged is lost', lost, () => {
      const what = `${created.size} projects, ${shortUrls.size} short URLs, ${requested.size} builds, ${acknowledged.logins} logins`;
      return `${what}; pushes of ${pushMs.length}: ${describeTimes(pushMs)}`;
    }),
    check('each build ends once, and publishes once at most, as the one that runs', builds, () => {
      return `${count} builds, ${published} published, ${again} begun again, ${late} for hooks that came late`;
    }),
    check('no reader gets pages of two pushes, an older one again, or a wrong answer', [...reader.problems], () => {
      return `answers ${requests}`;
    }),
    check('all nodes show the newest push in the end, also where its hook was refused or never sent', stale, () => {
      const { accepted, refused, lost, twice } = acknowledged.hooks;
      return `${projects.length} projects; hooks: ${accepted} accepted, ${twice} of all sent twice, ${refused} refused, ${lost} never sent`;
    }),
    check('quotas are exact', wrongQuotas, () => {
      const [all, open] = [sum(customers.map((one) => one.counted)), sum(customers.map((one) => one.unknown))];
      return `${all} requests of ${customers.length} customers were counted, ${open} without an answer`;
    }),
    check(
      'payments are booked once',
      [
        ...(credits.left < counted || credits.left > counted + unknown ? [`${credits.left} credits`] : []),
        ...ledger.problems.map((problem) => JSON.stringify(problem)),
      ],
      () => `${credits.left} credits for ${counted} paid, ${unknown} without an answer`,
    ),
    check('everything else is as it should be', [...problems], () => 'no wrong answer'),
    check(
      'no node ends by itself',
      ends,
      () =>
        `${sum(nodes.map((node) => node.starts))} starts, failed: ${tally(nodes.flatMap((node) => node.failedStarts))}`,
    ),
  ];
}

function check(name: string, problems: readonly string[], describe: () => string): Check {
  const some = problems.slice(0, 5).join('; ');
  const seen = problems.length > 5 ? `${some}; and ${problems.length - 5} more` : some;
  return { name, holds: problems.length === 0, seen: problems.length === 0 ? describe() : `${seen} (${describe()})` };
}

async function waitForBuilds(operations: Operations): Promise<void> {
  for (const endMs = performance.now() + SETTLE_MS; performance.now() < endMs; await sleep(200)) {
    if ((await operations.listBuilds({ isOpen: true })).length === 0) return;
  }
}

async function findLost(
  { webs, watch }: Fleet,
  { acknowledged }: Actions,
  operations: Operations,
): Promise<readonly string[]> {
  const { projects, shortUrls, builds } = acknowledged;
  const names = new Set<string>();
  for (let after: string | undefined; ; ) {
    const page = await operations.listProjects(after === undefined ? {} : { after });
    for (const { name } of page) names.add(name);
    if (page.length < AT_ONCE) break;
    after = page.at(-1)!.name;
  }
  const kept = await watch.listBuilds();
  const lost = [
    ...[...projects].filter((name) => !names.has(name)).map((name) => `project ${name}`),
    ...[...builds].filter((id) => !kept.has(id)).map((id) => `build ${id}`),
  ];
  let next = 0;
  for (const [code, target] of shortUrls) {
    const { origin } = webs[next++ % webs.length]!;
    const answer = await fetch(`${origin}/t/${code}`, { redirect: 'manual' });
    await answer.arrayBuffer();
    if (answer.headers.get('location') !== target) lost.push(`short URL ${code} (${answer.status})`);
  }
  return lost;
}

async function findWrongQuotas(
  customers: Actions['acknowledged']['customers'],
  operations: Operations,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { uid, counted, unknown, isUsedUp } of customers) {
    const { today } = await operations.getPlan({ uid });
    const isPossible = today.used >= counted && today.used <= Math.min(PER_DAY, counted + unknown);
    if (!isPossible || (isUsedUp && today.used !== PER_DAY)) {
      wrong.push(`${today.used} of ${PER_DAY} used, ${counted} counted, ${unknown} without an answer`);
    }
  }
  return wrong;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
