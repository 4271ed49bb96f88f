import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A call of curl in the documentation. */
export interface CurlExample {
  /** Page and number of the call in it. */
  readonly title: string;
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: URLSearchParams | undefined;
  /** The JSON that the page shows behind it. */
  readonly answer: unknown;
}

const BLOCK = /```sh\n([^`]*\bcurl [^`]*)```\n(?:\n```json\n([^`]*)```)?/g;
const root = new URL('../../../docs/', import.meta.url);

/** Returns the calls on all pages of a language; a shell splits them into words, with these variables. */
export function readCurlExamples(
  language: string,
  variables: Readonly<Record<string, string>>,
): readonly CurlExample[] {
  const pages = readdirSync(new URL(`${language}/`, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort();
  return pages.flatMap((page) => {
    const text = readFileSync(new URL(`${language}/${page}`, root), 'utf8');
    const calls = [...text.matchAll(BLOCK)].flatMap(([, script, json]) =>
      splitWords(script!, variables).map((words) => ({ words, json })),
    );
    // Whatever is no block of its own would be overlooked.
    const mentioned = [...text.matchAll(/^ *curl /gm)].length;
    if (mentioned !== calls.length)
      throw new Error(`${language}/${page}: ${mentioned} calls, ${calls.length} understood`);
    return calls.map(({ words, json }, i) => ({
      title: `${language}/${page} ${i + 1}`,
      ...parseCall(words),
      answer: json === undefined ? undefined : (JSON.parse(json) as unknown),
    }));
  });
}

/** Runs a script in which curl only tells its arguments. */
function splitWords(script: string, variables: Readonly<Record<string, string>>): readonly (readonly string[])[] {
  const told = execFileSync('bash', ['--norc', '-euc', `curl() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n${script}`], {
    env: { PATH: process.env['PATH'], ...variables },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return told
    .split('\n\0')
    .slice(0, -1)
    .map((call) => call.split('\0').slice(0, -1));
}

function parseCall(words: readonly string[]): Omit<CurlExample, 'title' | 'answer'> {
  const headers: Record<string, string> = {};
  let form: URLSearchParams | undefined;
  let method: string | undefined;
  let url: URL | undefined;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '-i' || word === '-s') continue;
    if (word === '-X') method = words[++i];
    else if (word === '-H') {
      const [, name, value] = /^([\w-]+): (.*)$/.exec(words[++i]!)!;
      headers[name!] = value!;
    } else if (word === '-d' || word === '--data-urlencode') {
      form ??= new URLSearchParams();
      const [, name, value] = /^(\w+)=(.*)$/s.exec(words[++i]!)!;
      form.append(name!, value!);
    } else if (word.startsWith('http') && !url) url = new URL(word);
    else throw new Error(`curl ${words.join(' ')}: "${word}" is not understood`);
  }
  if (!url) throw new Error(`curl ${words.join(' ')}: no address`);
  return { method: method ?? (form ? 'POST' : 'GET'), url, headers, form };
}
