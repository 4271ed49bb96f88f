import type { Route, RouteExample } from '../http/route.ts';

/** Gives the command by which a person sends an example with curl; `origin` is where the service is reached. */
export function writeCommand({ method }: Pick<Route, 'method'>, example: RouteExample, origin: string): string {
  const { path, headers = {}, form, json } = example;
  const hasBody = form !== undefined || json !== undefined;
  const parts = [
    ...(method === 'post' && !hasBody ? ['-X POST'] : []),
    ...Object.entries({ ...(json && { 'Content-Type': 'application/json' }), ...headers }).map(
      ([name, value]) => `-H ${quote(`${name}: ${value}`)}`,
    ),
    ...Object.entries(form ?? {}).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`),
    ...(json === undefined ? [] : [`-d ${quote(JSON.stringify(json))}`]),
    quote(origin + path),
  ];
  return `curl ${parts.join(' \\\n  ')}`;
}

/** Quotes a word for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
