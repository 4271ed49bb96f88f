import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, type ErrorOptions, type Help, type Option } from 'commander';
import { packageFile, stripCredentials } from '../builder/index.ts';
import { findMeant } from '../lib/similar-names.ts';
import { columnsOf, createPaint, hasColor, paint } from './color.ts';

/** Ends the program: with 0 after help and version, with 2 for wrong use. Throws, or ends the process. */
export type Exit = (code: 0 | 2) => never;

/** The help of a command beside its options. */
export interface Guide {
  /** Uses to begin with, each with all that is typed after `$`, and one for each command below it. */
  readonly examples: readonly string[];
  /** Page of the documentation, without `.md`. */
  readonly page: string;
}

/** An option and why it is needed: `makeOptionMandatory()` is taken from it, since commander complains of that first. */
const needed = new WeakSet<Option>();

/**
 * Creates the program. Wrong use is told in the order in which it can be mended: an argument that is missing, an option that does not
 * exist and what was probably meant, then an option that is missing; as one JSON object on standard output where `args` have `--json`.
 */
export function createRoot(name: string, args: readonly string[], exit: Exit): Command {
  class OwnCommand extends Command {
    override createCommand(named?: string): Command {
      return new OwnCommand(named);
    }

    /** Called by commander and by actions. */
    override error(message: string, options?: ErrorOptions): never {
      const said = stripCredentials(explain(this, message, options?.code));
      if (isJsonWanted(args)) {
        process.stdout.write(
          `${JSON.stringify({ error: { code: 'usage', message: said.replace(/^error: /, '') } })}\n`,
        );
      } else {
        const label = createPaint(process.stderr)(['bold', 'red'], 'error:');
        process.stderr.write(`${said.replace(/^error:/, label)}\n(${pathOf(this)} --help ${describeHelp(this)})\n`);
      }
      return exit(2);
    }
  }
  return new OwnCommand(name)
    .exitOverride(({ exitCode }) => exit(exitCode === 0 ? 0 : 2))
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (text) => paint('bold', text),
      styleCommandText: (text) => paint('cyan', text),
      styleOptionText: (text) => paint('green', text),
      styleArgumentText: (text) => paint('yellow', text),
      styleSubcommandText: (text) => paint('cyan', text),
    })
    .configureOutput({
      getOutHelpWidth: () => columnsOf(process.stdout),
      getErrHelpWidth: () => columnsOf(process.stderr),
      getOutHasColors: () => hasColor(process.stdout),
      getErrHasColors: () => hasColor(process.stderr),
    })
    .hook('preAction', (_, command) => {
      const missing = command.options.find(
        (option) => needed.has(option) && command.getOptionValue(option.attributeName()) === undefined,
      );
      if (missing) command.error(`error: required option '${missing.flags}' not specified`);
    });
}

/** Gives a command, and those below it, their part of a guide. */
export function addGuide(command: Command, guide: Guide): void {
  const mandatory = command.options.filter((option) => option.mandatory);
  for (const option of mandatory) {
    option.mandatory = false;
    needed.add(option);
  }
  if (mandatory.length > 0) {
    const usage = mandatory.map(({ flags }) => flags.replace(/^-\w, /, ''));
    command.usage(`${usage.join(' ')} ${command.usage()}`);
  }
  command.addHelpText('after', ({ command: { commands } }) => {
    const path = pathOf(command);
    const own = guide.examples.filter((example) => example === path || example.startsWith(`${path} `));
    const title = (text: string): string => paint('bold', text);
    const more = commands.length > 0 ? ['', `${path} <command> --help shows the options of a command.`] : [];
    return [
      '',
      title('Examples:'),
      ...own.map((example) => `  $ ${example}`),
      ...more,
      '',
      `${title('Documentation:')} ${locatePage(guide.page)}`,
    ].join('\n');
  });
  for (const one of command.commands) addGuide(one, guide);
}

/** Returns where a page of the documentation is: it is part of the package, and has no public address yet. */
export function locatePage(page: string): string {
  const url = packageFile(`docs/en/${page}.md`);
  return existsSync(url) ? fileURLToPath(url) : `docs/en/${page}.md in the sources of docbuild`;
}

/** Returns all that is typed to call a command: `docbuild project create`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function describeHelp(command: Command): string {
  return command.commands.length > 0 ? 'shows the commands' : 'shows its arguments and options';
}

/** Returns whether what is typed asks for JSON. */
function isJsonWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

/** Returns a complaint of commander's as it is most useful. */
function explain(command: Command, message: string, code: string | undefined): string {
  if (code !== 'commander.unknownOption') return message;
  // Whatever is typed behind an unknown option may be its value, or an argument.
  const operands = command.args.filter((arg) => !arg.startsWith('-')).length;
  const missing = command.registeredArguments.filter(({ required }) => required)[operands];
  if (missing) return `error: missing required argument '${missing.name()}'`;
  const [, flag = ''] = /^error: unknown option '([^=]*?)(?:=.*)?'/s.exec(message) ?? [];
  const meant = flag.startsWith('--') ? findFlag(flag.slice(2), listFlags(command)) : undefined;
  return `error: unknown option '${flag}'${meant === undefined ? '' : `\n(Did you mean --${meant}?)`}`;
}

/** Returns the option that was probably meant: `--ouut` and `--output` both mean `--out`. */
function findFlag(written: string, known: readonly string[]): string | undefined {
  const isPart = (name: string): boolean =>
    written.length > 2 && (name.startsWith(written) || written.startsWith(name));
  return findMeant(written, known) ?? known.find(isPart);
}

/** Returns the long names of all options of a command, its parents and commander. */
function listFlags(command: Command): readonly string[] {
  const help: Help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  return options.flatMap(({ long }) => (long ? [long.slice(2)] : []));
}
