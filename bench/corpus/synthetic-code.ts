import type { Random } from './random.ts';

const NAMES = 'account batch cache client cursor driver event filter gateway handler index job ledger message'.split(
  ' ',
);
const VERBS = 'accept build close create delete encode fetch format insert load merge open parse read resolve'.split(
  ' ',
);

/** Returns a fenced code block of 5 to 15 lines in one of five languages. */
export function writeCodeBlock(random: Random): string {
  const language = random.pick(['ts', 'python', 'bash', 'json', 'yaml'] as const);
  const lines = Array.from({ length: 1 + random.number(3) }, () => WRITERS[language](random));
  return `\`\`\`${language}\n${lines.join('\n')}\n\`\`\`\n`;
}

const WRITERS = {
  ts: (random: Random) => {
    const [verb, name, other] = names(random);
    return `export async function ${verb}${capital(name)}(${other}: string, retries = ${random.number(100)}): Promise<void> {
  // Give up when the ${name} was closed by somebody else
  if (${other}.length === 0) throw new Error(\`No ${name} for \${${other}}\`);
  await this.${other}s.${verb}({ id: ${other}, tags: ['${name}', "${verb}"], limit: ${random.number(5000)} });
}`;
  },
  python: (random: Random) => {
    const [verb, name, other] = names(random);
    return `@dataclass(frozen=True)
class ${capital(name)}${capital(verb)}er:
    ${other}: dict[str, int] = field(default_factory=dict)

    def ${verb}(self, *, timeout: float = ${random.number(60)}.5) -> str | None:
        return f"{self.${other}['${name}']}:{timeout}" if timeout > 0 else None`;
  },
  bash: (random: Random) => {
    const [verb, name, other] = names(random);
    return `# ${capital(verb)} every ${name}
for file in "$HOME"/${name}/*.json; do
  ${other}ctl ${verb} --${name} "$file" --port ${random.number(65_536)} | grep -E '^${other}' >> "${name}.log" || exit 1
done`;
  },
  json: (random: Random) => {
    const [verb, name, other] = names(random);
    const value = {
      [name]: { [verb]: true, [other]: [random.number(999), null, `${verb}-${name}`] },
      version: `1.${random.number(99)}`,
    };
    return JSON.stringify(value, null, 2);
  },
  yaml: (random: Random) => {
    const [verb, name, other] = names(random);
    return `${name}:
  ${verb}: &${other} "${random.number(1e6)}"
  ${other}s: [${verb}, ${random.number(64)}, true] # as many as there are cores
  image: registry.example.test/${name}:${random.number(40)}`;
  },
};

function names(random: Random): readonly [verb: string, name: string, other: string] {
  return [random.pick(VERBS), random.pick(NAMES), random.pick(NAMES)];
}

function capital(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}
