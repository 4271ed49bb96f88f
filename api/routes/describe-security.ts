import type { Route } from '../http/route.ts';
import type { CredentialWay } from '../utility/caller.ts';

/** A way to show who one is: credentials of accounts, and proofs that belong to a project. */
export type SecurityWay = CredentialWay | 'docbuild-sign' | 'github-signature' | 'gitee-token';

interface Scheme {
  readonly type: 'apiKey';
  readonly in: 'query' | 'header' | 'cookie';
  readonly name: string;
  readonly description: string;
}

const create = (place: Scheme['in'], name: string, description: string): Scheme => {
  return { type: 'apiKey', in: place, name, description };
};

/** The ways that OpenAPI has words for; a form field is described with the form. */
const SCHEMES: ReadonlyMap<SecurityWay, Scheme> = new Map([
  ['url-query', create('query', 'token', 'URL-safe base64 of an API key')],
  ['header', create('header', 'Authorization', '`Token <API key>`')],
  ['session-header', create('header', 'Authorization', '`Token <access token>`; the login gives one')],
  ['session-cookie', create('cookie', 'sessionId', 'An access token; the login sets it')],
  ['docbuild-sign', create('header', 'X-Docbuild-Sign', 'md5 (hex, lower case) of the project’s secret')],
  ['github-signature', create('header', 'X-Hub-Signature-256', '`sha256=` and the HMAC of the body by the secret')],
  ['gitee-token', create('header', 'X-Gitee-Token', 'The project’s secret, or what Gitee signs with it')],
]);

/** Gives who may call a route: alternatives, of which `{}` is one where no scheme needs to be used. */
export function describeSecurity({ credentials }: Route): readonly object[] | undefined {
  if (!credentials) return undefined;
  const { ways, isRequired } = credentials;
  const schemes = ways.filter((way) => SCHEMES.has(way)).map((way) => ({ [way]: [] }));
  return isRequired && schemes.length === ways.length ? schemes : [...schemes, {}];
}

/** Gives the schemes that routes use, by name. */
export function collectSchemes(routes: readonly Route[]): Readonly<Record<string, object>> {
  const used = new Set(routes.flatMap(({ credentials }) => credentials?.ways ?? []));
  return Object.fromEntries([...SCHEMES].filter(([way]) => used.has(way)));
}

/** Tells whether a parameter is a credential of the route, and so described as one. */
export function isCredential({ credentials }: Route, place: Scheme['in'], name: string): boolean {
  return findSchemes({ credentials }).some(
    (scheme) => scheme.in === place && scheme.name.toLowerCase() === name.toLowerCase(),
  );
}

/** Gives the schemes that a route takes. */
export function findSchemes({ credentials }: Pick<Route, 'credentials'>): readonly Scheme[] {
  return (credentials?.ways ?? []).flatMap((way) => SCHEMES.get(way) ?? []);
}
