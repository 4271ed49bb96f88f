import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createHosted } from '../helpers/create-pushed.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { docbuildPath } from '../helpers/run-docbuild.ts';
import { gitEnvironment } from '../helpers/run-git.ts';

const root = new URL('../../../', import.meta.url);

/** A command of the page, or output of the one before it in the same terminal. */
interface Step {
  readonly terminal: string;
  /** Undefined for lines that a running command prints later. */
  readonly command: string | undefined;
  readonly output: readonly string[];
}

/** Returns what the page shows of its terminals, in order. */
function readSteps(language: string): readonly Step[] {
  const page = readFileSync(new URL(`docs/${language}/tutorial.md`, root), 'utf8');
  return [...page.matchAll(/^```console \[([^\]\n]+)\]\n(.*?)^```$/gms)].flatMap(([, terminal, block]) => {
    const steps: { terminal: string; command: string | undefined; output: string[] }[] = [];
    for (const line of block!.trimEnd().split('\n')) {
      if (line.startsWith('$ ')) steps.push({ terminal: terminal!, command: line.slice(2), output: [] });
      else if (steps.length > 0) steps.at(-1)!.output.push(line);
      else steps.push({ terminal: terminal!, command: undefined, output: [line] });
    }
    return steps;
  });
}

/** Makes what differs from run to run equal: times, sizes, ids, ports. */
function simplify(text: string): string {
  return text
    .replace(/\d+(?:\.\d+)? (s|ms|kB)\b/g, 'N $1')
    .replace(/\b0mw[0-9a-z]{17}\b|"id":"[0-9a-z]{20}"|(?<=Build )[0-9a-z]{20}/g, 'ID')
    .replace(/^\d\d:\d\d:\d\d /gm, 'TIME ')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT');
}

/** A shell that stays open, as that of a terminal; commands that serve run beside it. */
interface Terminal {
  /** Runs a command and returns what it printed on standard output; the exit code must be 0. */
  run(command: string): Promise<string>;
  /** Starts a command that goes on, and waits until it has printed lines like these. */
  serve(command: string, lines: readonly string[]): Promise<string>;
  /** Waits until the command that goes on has printed lines like these. */
  waitFor(lines: readonly string[]): Promise<string>;
}

function openTerminal(t: ExecutionContext, cwd: string, env: NodeJS.ProcessEnv): Terminal {
  const shell = spawn('bash', ['--norc', '-s'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  killAfter(t, shell);
  const read = collectOutput(shell);
  let serving: { readonly child: ChildProcess; readonly output: () => string } | undefined;
  let count = 0;
  const waitFor = async (lines: readonly string[]): Promise<string> => {
    const wanted = simplify(lines.join('\n'));
    while (!simplify(serving!.output()).includes(wanted)) {
      if (serving!.child.exitCode !== null) throw new Error(`It ended: ${serving!.output()}`);
      await pause();
    }
    return serving!.output();
  };
  return {
    waitFor,
    async run(command) {
      const mark = `--- ${++count}`;
      const start = read().length;
      shell.stdin.write(`${command}\nprintf '\\n%s %s\\n' '${mark}' $?\n`);
      let end: RegExpExecArray | null = null;
      while (!end) {
        await pause();
        end = new RegExp(`\\n${mark} (\\d+)\\n`).exec(read().slice(start));
      }
      const output = read().slice(start, start + end.index);
      t.is(end[1], '0', `${command}\n${output}`);
      return output;
    },
    async serve(command, lines) {
      const folder = (await this.run('pwd')).trim();
      const child = spawn('bash', ['-c', `exec ${command}`], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      killAfter(t, child);
      serving = { child, output: collectOutput(child) };
      return waitFor(lines);
    },
  };
}

/** Kills a process with the test, which waits until neither it nor those that share its output write files any longer. */
function killAfter(t: ExecutionContext, child: ChildProcess): void {
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await closed;
  });
}

function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  let output = '';
  stdout!.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  // Progress, and what git tells.
  stderr!.resume();
  return () => output;
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test.serial(
  'tutorial: its commands lead from an empty folder to a pushed change that is live, and print what the page shows',
  async (t) => {
    const home = createFolder(t);
    const bin = join(home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'docbuild'), `#!/bin/sh\nexec '${process.execPath}' '${docbuildPath}' "$@"\n`);
    chmodSync(join(bin, 'docbuild'), 0o755);
    const { PATH = '' } = process.env;
    const env = { ...gitEnvironment, HOME: home, PATH: `${bin}:${PATH}` };
    const hosted = await createHosted(t);
    const terminals = new Map<string, Terminal>();
    let origin = '';
    const place = (text: string): string =>
      text
        .replaceAll('https://git.example.org/you/guide.git', hosted.url)
        .replaceAll('http://127.0.0.1:5000', origin)
        .replaceAll('/home/you', home);

    const steps = readSteps('en');
    t.true(steps.length > 25);
    for (const [at, { terminal: name, command, output }] of steps.entries()) {
      const terminal = terminals.get(name) ?? openTerminal(t, home, env);
      terminals.set(name, terminal);
      if (command === undefined) {
        await terminal.waitFor(output);
      } else if (/^docbuild dev$/.test(command)) {
        await terminal.serve(`${command} --port 0`, output);
      } else if (/^docbuild api$/.test(command)) {
        const printed = await terminal.serve(`${command} --port 0`, output);
        [origin = ''] = /http:\S+/.exec(printed)!;
      } else {
        const wanted = simplify(place(output.join('\n')));
        // What a push leads to is there a moment later.
        const isAfterPush = command.startsWith('curl') && steps[at - 1]!.command?.startsWith('git push') === true;
        const run = async (): Promise<string> =>
          simplify((await terminal.run(place(command) + (isAfterPush ? ' || true' : ''))).trimEnd());
        let printed = await run();
        while (isAfterPush && printed !== wanted) printed = await run();
        if (output.length > 0) t.is(printed, wanted, command);
        if (command.startsWith('docbuild project create')) {
          hosted.tell(`${origin}/docbuild/webhook/guide`, 'github', (await terminal.run('echo "$SECRET"')).trim());
        }
        if (command.startsWith('docbuild deliveries')) {
          t.deepEqual(
            printed.split('\n').map((line) => line.split('\t').slice(2, 5)),
            [
              ['github', 'push', '201'],
              ['github', 'push', '201'],
            ],
          );
        }
      }
    }
  },
);

test.serial('tutorial: both languages show the same terminals', (t) => {
  const commands = (language: string): readonly (string | undefined)[] =>
    readSteps(language).flatMap(({ command, output }) => [command, ...output]);
  t.deepEqual(commands('zh_CN'), commands('en'));
});
