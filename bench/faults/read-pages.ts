import type { MarkedProject } from '../fleet/marked-project.ts';
import { findMarks } from '../fleet/marked-project.ts';
import type { NodeProcess } from '../fleet/node-process.ts';

/** Reads pages, and notices what readers must never get. */
export interface PageReader {
  /** Sentences. */
  readonly problems: Set<string>;
  /** Statuses of all answers, and how many requests were not answered (0). */
  readonly statuses: Map<number, number>;
  /** Reads pages of two versions from one node. */
  read(node: NodeProcess, project: MarkedProject): Promise<void>;
  /** Returns the number of the push that readers get; -1 where they get no page. */
  readMark(origin: string, project: MarkedProject): Promise<number>;
}

const READ_MS = 12_000;
/** 502 and 504 are the balancer's. */
const ALLOWED = [0, 200, 502, 503, 504];

/** Creates the reader. */
export function createPageReader(say: (text: string) => void): PageReader {
  const problems = new Set<string>();
  const statuses = new Map<number, number>();
  /** The newest push that was read of a project, by process: nobody is shown an older one afterwards. */
  const newest = new Map<string, number>();
  const complain = (problem: string): void => {
    if (!problems.has(problem)) say(problem);
    problems.add(problem);
  };

  const fetchText = async (url: string): Promise<string | undefined> => {
    let status = 0;
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(READ_MS) });
      const text = await answer.text();
      status = answer.status;
      return status === 200 ? text : undefined;
    } catch {
      return undefined;
    } finally {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (!ALLOWED.includes(status)) complain(`The answer was ${status} to ${new URL(url).pathname}`);
    }
  };
  /** Returns the push of a page; undefined where there is no page now. */
  const readPage = async (origin: string, path: string): Promise<number | undefined> => {
    const url = `${origin}/docs/${path}`;
    const html = await fetchText(url);
    if (html === undefined) return undefined;
    const marks = findMarks(html);
    if (marks.length !== 1) complain(`${path} is of the pushes ${marks.join(', ') || 'of nobody'}`);
    const style = /<link rel="stylesheet" href="([^"]+)"/.exec(html)?.[1];
    if (style !== undefined) await fetchText(new URL(style, url).href);
    return marks[0];
  };
  return {
    problems,
    statuses,
    async read(node, project) {
      const { name } = project;
      const key = `${node.name} ${node.starts} ${name}`;
      const known = newest.get(key) ?? 0;
      const before = await readPage(node.origin, `${name}/en/latest/`);
      const other = await readPage(node.origin, `${name}/en/${project.isWhole ? 'v1' : 'main'}/one.html`);
      const after = await readPage(node.origin, `${name}/en/latest/two.html`);
      const seen = [before, other, after].filter((mark) => mark !== undefined);
      if (seen.some((mark, i) => mark < (seen[i - 1] ?? known))) {
        complain(`${node.name} showed push ${known} of ${name}, and then ${seen.join(', ')}`);
      }
      if (before !== undefined && before === after && other !== undefined && other !== before) {
        complain(`${node.name} showed push ${other} of ${name} between two pages of push ${before}`);
      }
      newest.set(key, Math.max(newest.get(key) ?? 0, ...seen));
    },
    readMark: async (origin, { name }) => (await readPage(origin, `${name}/en/latest/`)) ?? -1,
  };
}
