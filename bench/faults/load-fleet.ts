import { setTimeout as sleep } from 'node:timers/promises';
import type { Operations } from '../../platform/operations/operations.ts';
import { signGithub } from '../../test/helpers/sign-webhook.ts';
import { keepDoing } from '../attacks/attack.ts';
import type { Random } from '../corpus/random.ts';
import type { MarkedProject } from '../fleet/marked-project.ts';
import type { NodeProcess } from '../fleet/node-process.ts';
import { type Fleet, PER_DAY, TIER } from './open-fleet.ts';
import type { PageReader } from './read-pages.ts';

/** A customer with a quota for a day, and what was taken of it. */
interface Customer {
  readonly uid: string;
  readonly key: string;
  /** Requests that were answered and counted. */
  counted: number;
  /** Requests whose answer did not arrive. */
  unknown: number;
  isUsedUp: boolean;
}

/** Work that the service has acknowledged, and that it may have done without an answer. */
export interface Acknowledged {
  readonly projects: Set<string>;
  /** Long URLs by their codes. */
  readonly shortUrls: Map<string, string>;
  readonly builds: Set<string>;
  /** The newest push of each project whose build was acknowledged, by name. */
  readonly pushes: Map<string, number>;
  readonly customers: Customer[];
  /** Paid by one further user, in fen. */
  readonly payments: { counted: number; unknown: number };
  logins: number;
  /** Pushes by what became of their hooks; a code host sends each once, and some twice. */
  readonly hooks: { accepted: number; refused: number; lost: number; twice: number };
}

/** Somebody who does everything that is done with the service, and remembers what was acknowledged. */
export interface Actions {
  readonly acknowledged: Acknowledged;
  /** Wrong answers, as sentences. */
  readonly problems: Set<string>;
  readonly payer: string;
  push(project: MarkedProject): Promise<number>;
  /** Pushes, and sends the hook of that as a code host does: never again if it is refused, sometimes twice, and sometimes not at all. */
  announce(project: MarkedProject): Promise<void>;
  take(): Promise<void>;
  shorten(): Promise<void>;
  logIn(): Promise<void>;
  operate(): Promise<void>;
}

const PASSWORD = 'correct horse battery';
/** The secret of the project that hooks announce. */
export const HOOK_SECRET = 'a secret that hooks are signed with';
/** One push of so many has no hook, and one hook of so many is sent twice at once. */
const LOST = 5;
const TWICE = 3;
const REQUEST_MS = 12_000;
const FEN = 100;
/** A change at one node is known to all after so long. */
const STALE_MS = 1_500;
/** An acknowledged push is live after this time, however many faults there are. */
const PUSH_MS = 90_000;
/** A push that takes longer is worth a line. */
const LONG_MS = 15_000;

/** Creates the users that load needs, and returns what can be done. */
export async function createActions(
  { balancer, webs }: Fleet,
  { random, say }: { readonly random: Random; readonly say: (text: string) => void },
): Promise<Actions> {
  const { origin } = balancer;
  const problems = new Set<string>();
  const acknowledged: Acknowledged = {
    projects: new Set(),
    shortUrls: new Map(),
    builds: new Set(),
    pushes: new Map(),
    customers: [],
    payments: { counted: 0, unknown: 0 },
    logins: 0,
    hooks: { accepted: 0, refused: 0, lost: 0, twice: 0 },
  };
  const complain = (problem: string): void => {
    if (!problems.has(problem)) say(problem);
    problems.add(problem);
  };
  const operate = async <T>(work: (operations: Operations) => Promise<T>): Promise<T> => {
    const node = pickUp(webs, random);
    return await inTime(async () => work(await node.operations()));
  };
  const first = await webs[0]!.operations();
  const owner = await first.createUser({ account: 'owner', password: PASSWORD });
  const payer = await first.createUser({ account: 'payer', password: PASSWORD });
  const { key } = await first.createKey({ uid: owner.uid, permission: 'write' });
  let created = 0;

  const createCustomer = async (): Promise<Customer> => {
    const account = `customer${created++}`;
    const customer = await operate(async (operations) => {
      const { uid } = await operations.createUser({ account, password: PASSWORD });
      await operations.grantPlan({ uid, payment: TIER });
      const { key } = await operations.createKey({ uid, permission: 'read' });
      return { uid, key, counted: 0, unknown: 0, isUsedUp: false };
    });
    acknowledged.customers.push(customer);
    return customer;
  };
  let creating: Promise<Customer> | undefined;
  /** Returns the customer whose quota is used now; several workers share one. */
  const findCustomer = async (): Promise<Customer> => {
    const last = acknowledged.customers.at(-1);
    if (last && !last.isUsedUp) return last;
    creating ??= createCustomer().finally(() => {
      creating = undefined;
    });
    return creating;
  };

  return {
    acknowledged,
    problems,
    payer: payer.uid,
    async push(project) {
      const mark = await project.push();
      for (;;) {
        try {
          acknowledged.builds.add(await request(project));
          acknowledged.pushes.set(project.name, mark);
          return mark;
        } catch {
          await sleep(200);
        }
      }
    },
    async announce(project) {
      const { hooks } = acknowledged;
      const mark = await project.push();
      if (random.number(LOST) === 0) {
        hooks.lost++;
        return;
      }
      const payload = { ref: 'refs/heads/main', after: project.commit, deleted: false };
      const call = signGithub('push', payload, { secret: HOOK_SECRET, id: `${project.name}-${mark}` });
      const send = async (): Promise<boolean> => {
        const answer = await ask(
          `${origin}/docbuild/webhook/${project.name}`,
          call.headers as Record<string, string>,
          call.rawBody.toString(),
        );
        await expectStatus(answer, [200, 201, 202, 503]);
        return answer.ok;
      };
      const isTwice = random.number(TWICE) === 0;
      if (isTwice) hooks.twice++;
      const sent = await Promise.allSettled(isTwice ? [send(), send()] : [send()]);
      if (!sent.some((one) => one.status === 'fulfilled' && one.value)) {
        hooks.refused++;
        return;
      }
      hooks.accepted++;
      acknowledged.pushes.set(project.name, mark);
    },
    async take() {
      const customer = await findCustomer();
      let isAnswered = false;
      try {
        const query = new URLSearchParams({ url: `https://page.example/${random.number(1e9)}`, force: '1' });
        const answer = await ask(`${origin}/api/BetaIncludedQuery?${query}`, {
          Authorization: `Token ${customer.key}`,
        });
        const text = await answer.text();
        isAnswered = answer.status === 200 || answer.status === 429;
        if (answer.status === 429) {
          customer.isUsedUp = true;
        } else await expectStatus(answer, [200, 503]);
        if (answer.status !== 200) throw new Error(`${answer.status}`);
        const { deduct } = JSON.parse(text) as { deduct: boolean };
        if (deduct) customer.counted++;
        if (customer.counted > PER_DAY) complain(`More than ${PER_DAY} requests were granted in a day`);
      } catch (error) {
        if (!isAnswered) customer.unknown++;
        throw error;
      }
    },
    async shorten() {
      const target = `https://long.example/${random.number(1e9)}`;
      const answer = await ask(
        `${origin}/openservice/shorturl/v1/?Action=shorten`,
        { Authorization: `Token ${key}` },
        new URLSearchParams({ long_url: target }),
      );
      await expectStatus(answer, [200, 503]);
      const { code, data } = (await answer.json()) as { code: number; data: { shorten: string } };
      if (code !== 0) throw new Error(`The answer was ${code}`);
      acknowledged.shortUrls.set(data.shorten, target);
      await checkShortUrl(pickUp(webs, random), data.shorten);
    },
    async logIn() {
      const answer = await ask(
        `${origin}/api/user/login`,
        {},
        new URLSearchParams({ account: 'owner', password: PASSWORD, fields: 'token' }),
      );
      await expectStatus(answer, [200, 429, 503]);
      if (answer.status !== 200) throw new Error(`The answer was ${answer.status}`);
      acknowledged.logins++;
      const { token } = (await answer.json()) as { token: string };
      const look = () => ask(`${pickUp(webs, random).origin}/api/user/quota`, { Authorization: `Token ${token}` });
      if ((await look()).status !== 401) return;
      await sleep(STALE_MS);
      if ((await look()).status === 401) complain('A session that has just begun is unknown to another node');
    },
    async operate() {
      if (random.number(2) === 0) {
        const name = `p${random.number(1e9)}`;
        await operate((operations) => operations.createProject({ name, settings: { url: 'https://h.invalid/p' } }));
        acknowledged.projects.add(name);
        return;
      }
      let isBooked = false;
      try {
        await operate((operations) => operations.grantPlan({ uid: payer.uid, payment: { fen: FEN } }));
        isBooked = true;
      } finally {
        acknowledged.payments[isBooked ? 'counted' : 'unknown'] += FEN;
      }
    },
  };

  /** Requests a build of the newest push; returns its id. */
  async function request({ name, isWhole }: MarkedProject): Promise<string> {
    if (isWhole) return (await operate((operations) => operations.build({ name, all: true }))).id;
    const answer = await ask(`${origin}/docbuild/build/${name}?branch=main`, {}, new URLSearchParams());
    await expectStatus(answer, [201, 503]);
    if (answer.status !== 201) throw new Error(`The answer was ${answer.status}`);
    return ((await answer.json()) as { build: { id: string } }).build.id;
  }

  async function checkShortUrl({ origin, name }: NodeProcess, code: string): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      const answer = await ask(`${origin}/t/${code}`);
      if (answer.headers.get('location') === acknowledged.shortUrls.get(code)) return;
      if (answer.status === 503) return;
      if (!isFirst) return complain(`${name} answered ${answer.status} to a short URL that was acknowledged`);
      await sleep(STALE_MS);
    }
  }

  /** Complains about an answer that is none of these, nor one of the balancer for a node that is gone. */
  async function expectStatus(answer: Response, expected: readonly number[]): Promise<void> {
    const { status, url } = answer;
    if ([...expected, 502, 504].includes(status)) return;
    const text = (await answer.text()).slice(0, 200);
    complain(`The answer was ${status} to ${new URL(url).pathname.replace(/\d{3,}/g, 'N')}: ${text}`);
  }
}

/** Uses a service like its users do, some at a time, until the returned function is called. */
export function loadFleet(
  actions: Actions,
  context: {
    readonly fleet: Fleet;
    readonly reader: PageReader;
    readonly projects: readonly MarkedProject[];
    /** The one that only hooks announce. */
    readonly hooked: MarkedProject;
    readonly random: Random;
    readonly say: (text: string) => void;
  },
): { stop(): Promise<void>; readonly pushMs: readonly number[] } {
  const { fleet, reader, projects, hooked, random, say } = context;
  const pushMs: number[] = [];
  const repeat = (count: number, pauseMs: number, work: () => Promise<unknown>) =>
    keepDoing(count, async () => {
      await sleep(pauseMs / 2 + random.number(pauseMs));
      await work();
    });
  const pushAndWait = async (project: MarkedProject): Promise<void> => {
    const mark = await actions.push(project);
    const start = performance.now();
    while ((await reader.readMark(fleet.balancer.origin, project)) < mark) {
      if (performance.now() - start > PUSH_MS) {
        actions.problems.add(`Push ${mark} of ${project.name} was acknowledged, and is not live after ${PUSH_MS} ms`);
        return;
      }
      await sleep(250);
    }
    const ms = performance.now() - start;
    pushMs.push(ms);
    if (ms > LONG_MS) say(`  push ${mark} of ${project.name} took ${(ms / 1_000).toFixed(1)} s`);
  };
  const stops = [
    repeat(3, 60, () => reader.read(pickUp(fleet.webs, random), random.pick([...projects, hooked]))),
    repeat(2, 100, actions.take),
    repeat(1, 200, actions.shorten),
    repeat(1, 1_500, actions.logIn),
    repeat(1, 1_500, actions.operate),
    ...projects.map((project) => repeat(1, 2_000, () => pushAndWait(project))),
    repeat(1, 2_000, () => actions.announce(hooked)),
  ];
  return {
    pushMs,
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

/** Picks a node that should answer. Throws where there is none. */
function pickUp(nodes: readonly NodeProcess[], random: Random): NodeProcess {
  return random.pick(nodes.filter((node) => node.isUp()));
}

/** Sends a request that follows no redirect and is given up after some time. */
function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: URLSearchParams | string,
): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_MS);
  return fetch(url, { method: body ? 'POST' : 'GET', headers, redirect: 'manual', signal, ...(body && { body }) });
}

async function inTime<T>(work: () => Promise<T>): Promise<T> {
  const late = new AbortController();
  const limit = sleep(REQUEST_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error('There was no answer');
  });
  try {
    return await Promise.race([work(), limit]);
  } finally {
    late.abort();
    limit.catch(() => {});
  }
}
