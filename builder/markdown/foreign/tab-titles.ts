/** Longer lists are not read. */
const MAX_LENGTH = 5_000;

/** Returns the titles of tabs by their values: `{[{label: 'Windows', value: 'win'}, …]}` of Docusaurus. */
export function readTabLabels(source: string): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (const [, fields = ''] of source.slice(0, MAX_LENGTH).matchAll(/\{([^{}]*)\}/g)) {
    const [label, value] = ['label', 'value'].map((name) =>
      new RegExp(`(?:^|[\\s,'"])${name}['"]?\\s*:\\s*(?:'([^']*)'|"([^"]*)"|\`([^\`]*)\`)`).exec(fields),
    );
    const [title, name] = [label, value].map((match) => match?.slice(1).find((text) => text !== undefined));
    if (title !== undefined && name !== undefined) labels.set(name, title);
  }
  return labels;
}

/** Returns the titles of tabs in their order: `{['npm', {label: 'Yarn'}]}` of Nextra. */
export function readTabTitles(source: string): readonly string[] {
  const items = source
    .slice(0, MAX_LENGTH)
    .replace(/^\{(.*)\}$/s, '$1')
    .matchAll(/\{([^{}]*)\}|'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g);
  return [...items].map(([, fields, ...texts]) =>
    fields === undefined
      ? texts.find((text) => text !== undefined)!
      : (/(?:^|[\s,'"])label['"]?\s*:\s*(['"`])(.*?)\1/.exec(fields)?.[2] ?? ''),
  );
}
