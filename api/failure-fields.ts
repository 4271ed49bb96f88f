/** Paths as the router takes them: in any case, with or without slashes at the end. */
const AREAS: readonly (readonly [
  path: RegExp,
  fields: (code: number, msg: string) => Readonly<Record<string, unknown>>,
])[] = [
  [/^\/api\/(?:alpha|beta)includedquery\/*$/i, (_, msg) => ({ Included: false, deduct: false, url: '', msg })],
  [/^\/openservice\/shorturl(?:\/|$)/i, (code, msg) => ({ code, msg })],
  [/^\/openservice\/crontab\/*$/i, () => ({ data: [] })],
];

/** Gives the fields that the failures of a path have besides `success` and `message`, whoever finds them. */
export function failureFields(path: string, code: number, message: string): Readonly<Record<string, unknown>> {
  return AREAS.find(([pattern]) => pattern.test(path))?.[1](code, message) ?? {};
}
