import { EXAMPLE, type RouteExample } from '../http/route.ts';

/** Returns requests to an engine's route. */
export function inclusionExamples(name: string): readonly RouteExample[] {
  const path = `/api/${name}IncludedQuery`;
  const failure = { Included: false, success: false, deduct: false, url: '' };
  const key = { Authorization: `Token ${EXAMPLE.key}` };
  const inQuery = Buffer.from(EXAMPLE.key).toString('base64url');
  return [
    {
      summary: 'A page that is indexed, asked for anew with a key',
      path: `${path}?url=https%3A%2F%2Fexample.com%2F&force=1`,
      headers: key,
      status: 200,
      answer: { Included: true, success: true, deduct: true, url: 'https://example.com/', msg: null },
    },
    {
      summary: 'A page that is not, with a key in the query',
      path: `${path}?url=https%3A%2F%2Fexample.com%2Fnothing&token=${inQuery}`,
      status: 200,
      answer: {
        ...{ Included: false, success: true, deduct: true, url: 'https://example.com/nothing' },
        msg: `Not indexed by ${name}`,
      },
    },
    {
      summary: 'No address',
      path,
      status: 200,
      answer: { ...failure, msg: 'Parameter "url" is missing' },
    },
    {
      summary: 'An address that is none',
      path: `${path}?url=ftp%3A%2F%2Fexample.com%2F`,
      status: 200,
      answer: { ...failure, msg: 'Parameter "url" must begin with http:// or https://' },
    },
    {
      summary: 'A key that is not valid',
      path: `${path}?url=https%3A%2F%2Fexample.com%2F`,
      headers: { Authorization: 'Token nothing' },
      status: 401,
      answer: { ...failure, msg: 'The token is invalid, expired or disabled' },
    },
  ];
}
