import { Argument, type Command, type Option } from 'commander';

/** The command line as shells need it. */
interface Node {
  /** All that is typed to call it, in its shortest spelling: `docbuild project create`. */
  readonly path: string;
  /** Its name and its aliases. */
  readonly names: readonly string[];
  readonly description: string;
  readonly options: readonly Option[];
  readonly args: readonly Argument[];
  readonly below: readonly Node[];
}

const WRITERS = { bash: writeBash, zsh: writeZsh, fish: writeFish };
type Shell = keyof typeof WRITERS;

/** Adds `docbuild completion`. `createWhole` returns the program with all commands. */
export function addCompletionCommand(program: Command, createWhole: () => Command): void {
  program
    .command('completion')
    .description('print a script with which a shell completes commands, options and their values')
    .addArgument(new Argument('<shell>', 'the shell that is to read it').choices(Object.keys(WRITERS)))
    .action((shell: Shell) => void process.stdout.write(WRITERS[shell](describe(createWhole()))));
}

function describe(command: Command, above?: Command, pathAbove = ''): Node {
  const help = command.createHelp();
  const path = `${pathAbove} ${command.name()}`.trim();
  // What is asked for help is a command beside it.
  const args =
    above && command.name() === 'help'
      ? [new Argument('[command]').choices(above.commands.map((one) => one.name()))]
      : command.registeredArguments;
  return {
    path,
    names: [command.name(), ...command.aliases()],
    description: command.description(),
    options: help.visibleOptions(command),
    args,
    below: help.visibleCommands(command).map((one) => describe(one, command, path)),
  };
}

/** Returns a node and all below it. */
function flatten(node: Node): readonly Node[] {
  return [node, ...node.below.flatMap(flatten)];
}

/** Returns the long and the short name of an option. */
function namesOf({ long, short }: Option): readonly string[] {
  return [long, short].filter((name) => name !== undefined && name !== null) as readonly string[];
}

/** Quotes a text for all three shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the lines of a `case` by which bash and zsh go from a command to those below it. */
function writeSteps(root: Node): string {
  const steps = flatten(root).flatMap(({ path, below }) =>
    below.map(
      (one) => `      ${one.names.map((name) => quote(`${path} ${name}`)).join('|')}) at=${quote(one.path)} ;;`,
    ),
  );
  return steps.join('\n');
}

/** bash completes file names itself where the function finds nothing. Works with bash 3.2, which macOS has. */
function writeBash(root: Node): string {
  const cases = flatten(root).map(({ path, options, args, below }) => {
    const values = options.flatMap((option) => {
      if (!option.required && !option.optional) return [];
      const choices = option.argChoices ? `values=${quote(option.argChoices.join(' '))}` : 'files=1';
      return [`        ${namesOf(option).join('|')}) ${choices} ;;`];
    });
    const operands = below.length > 0 ? below.flatMap(({ names }) => names) : (args[0]?.argChoices ?? []);
    return [
      `    ${quote(path)})`,
      ...(values.length > 0 ? ['      case $option in', ...values, '      esac'] : []),
      `      options=${quote(options.flatMap(namesOf).join(' '))}`,
      ...(operands.length > 0 ? [`      operands=${quote(operands.join(' '))}`] : []),
      '      ;;',
    ].join('\n');
  });
  return `# bash completion of docbuild, made by: docbuild completion bash
_docbuild() {
  local current=\${COMP_WORDS[COMP_CWORD]} option='' prefix='' at=docbuild ended='' i
  local options='' operands='' values='' files=''
  COMPREPLY=()
  # "--name=value" is one word, or three where bash parts words at "=".
  if [ "$COMP_CWORD" -gt 0 ]; then option=\${COMP_WORDS[COMP_CWORD - 1]}; fi
  if [ "$current" = '=' ]; then
    current=''
  elif [ "$option" = '=' ] && [ "$COMP_CWORD" -gt 1 ]; then
    option=\${COMP_WORDS[COMP_CWORD - 2]}
  else
    case $current in
      --*=*) option=\${current%%=*} prefix="$option=" current=\${current#*=} ;;
    esac
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [ "\${COMP_WORDS[i]}" = '--' ]; then ended=1; fi
    case "$at \${COMP_WORDS[i]}" in
${writeSteps(root)}
    esac
  done
  case $at in
${cases.join('\n')}
  esac
  if [ -n "$values" ] && [ -z "$ended" ]; then
    COMPREPLY=($(compgen -P "$prefix" -W "$values" -- "$current"))
  elif [ -n "$files$prefix" ] && [ -z "$ended" ]; then
    return
  elif [ "\${current#-}" != "$current" ] && [ -z "$ended" ]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [ -n "$operands" ]; then
    COMPREPLY=($(compgen -W "$operands" -- "$current"))
  else
    return
  fi
  # A command or value that does not exist is no file name.
  compopt +o default +o bashdefault 2>/dev/null
}
complete -o bashdefault -o default -F _docbuild docbuild
`;
}

/** Works when it is read by \`source\`, and as a file of \`fpath\`. */
function writeZsh(root: Node): string {
  const value = (name: string, choices: readonly string[] | undefined): string =>
    `:${name.replaceAll(':', '\\:')}:${choices ? `(${choices.join(' ')})` : '_files'}`;
  const cases = flatten(root).map(({ path, options, args, below }) => {
    const lists = below.flatMap(({ names, description }) =>
      names.map((name) => `        ${quote(`${name}:${description.replaceAll(':', '\\:')}`)}`),
    );
    const specs = options.flatMap((option) => {
      const names = namesOf(option);
      const takes = option.required || option.optional;
      const text = `[${option.description.replace(/[\\[\]:]/g, '\\$&')}]`;
      const [, placeholder = ''] = /<([^<>]*)>/.exec(option.flags) ?? [];
      const others = names.length > 1 ? `(${names.join(' ')})` : '';
      return names.map((name) => {
        const form = takes ? `${name}${name.startsWith('--') ? '=' : '+'}` : name;
        return quote(`${others}${form}${text}${takes ? value(placeholder, option.argChoices) : ''}`);
      });
    });
    const operands = args.map((arg, place) =>
      quote(`${arg.variadic ? '*' : `${place + 1}`}${value(arg.name(), arg.argChoices)}`),
    );
    if (below.length > 0) operands.push(quote('1:command:->command'));
    return [
      `    ${quote(path)})`,
      ...(lists.length > 0 ? ['      commands=(', ...lists, '      )'] : []),
      `      _arguments -S -C : ${[...specs, ...operands].join(' \\\n        ')}`,
      '      ;;',
    ].join('\n');
  });
  return `#compdef docbuild
# zsh completion of docbuild, made by: docbuild completion zsh
_docbuild() {
  local at=docbuild state line curcontext="$curcontext"
  local -a commands
  local -A opt_args
  local -i i=2 last=1
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
${writeSteps(root)}
      *) break ;;
    esac
    last=i
  done
  shift $((last - 1)) words
  ((CURRENT -= last - 1))
  case $at in
${cases.join('\n')}
  esac
  if [[ $state == command ]]; then _describe -t commands command commands; fi
}
if [[ \${funcstack[1]} == _docbuild ]]; then _docbuild "$@"; else compdef _docbuild docbuild; fi
`;
}

/** fish completes file names itself where a command is not told otherwise. */
function writeFish(root: Node): string {
  const lines = flatten(root).flatMap(({ path, options, args, below }) => {
    const at = `-n ${quote(`__docbuild_at ${path}`)}`;
    const [first] = args;
    return [
      ...below.flatMap(({ names, description }) =>
        names.map((name) => `complete -c docbuild ${at} -f -a ${quote(name)} -d ${quote(description)}`),
      ),
      ...(below.length > 0 ? [`complete -c docbuild ${at} -f`] : []),
      ...(first?.argChoices ? [`complete -c docbuild ${at} -f -a ${quote(first.argChoices.join(' '))}`] : []),
      ...options.map((option) => {
        const { long, short, argChoices, description } = option;
        const names = [long ? `-l ${long.slice(2)}` : '', short ? `-s ${short.slice(1)}` : '']
          .filter(Boolean)
          .join(' ');
        const takes = option.required || option.optional;
        const values = argChoices ? ` -x -a ${quote(argChoices.join(' '))}` : takes ? ' -r -F' : '';
        return `complete -c docbuild ${at} ${names} -d ${quote(description)}${values}`;
      }),
    ];
  });
  return `# fish completion of docbuild, made by: docbuild completion fish
function __docbuild_path
    set -l at docbuild
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
${flatten(root)
  .flatMap(({ path, below }) =>
    below.map(
      (one) =>
        `            case ${one.names.map((name) => quote(`${path} ${name}`)).join(' ')}\n                set at ${quote(one.path)}`,
    ),
  )
  .join('\n')}
        end
    end
    echo $at
end
function __docbuild_at
    test (__docbuild_path) = "$argv"
end
${lines.join('\n')}
`;
}
