import { EXAMPLE, type RouteExample } from '../http/route.ts';

const REDUCTION = '/openservice/shorturl/v1/?Action=reduction';
const SHORTEN = '/openservice/shorturl/v1/?Action=shorten';
const SESSION = { Authorization: `Token ${EXAMPLE.token}` };
const OTHER_PATH = '/openservice/shorturl/v1?Action=reduction';
const { code, longUrl, disabledCode } = EXAMPLE;

/** Requests for reduction and creation. */
export const shortUrlExamples: readonly RouteExample[] = [
  {
    summary: 'Where a short URL leads',
    path: REDUCTION,
    form: { short_string: code },
    status: 200,
    answer: {
      code: 0,
      msg: null,
      data: { long_url: longUrl, shorten: code, status: '1', realname: '0', safe: '1' },
    },
  },
  {
    summary: 'One to a host that the operator warns about, as JSON',
    path: OTHER_PATH,
    json: { short_string: EXAMPLE.unsafeCode },
    status: 200,
    answer: {
      code: 0,
      msg: null,
      data: { long_url: EXAMPLE.unsafeUrl, shorten: EXAMPLE.unsafeCode, status: '1', realname: '0', safe: '0' },
    },
  },
  {
    summary: 'One that is disabled',
    path: REDUCTION,
    form: { short_string: disabledCode },
    status: 410,
    answer: {
      code: 410,
      msg: 'The operator has disabled this short URL',
      data: { long_url: 'https://example.org/news', shorten: disabledCode, status: '0', realname: '0', safe: '1' },
    },
  },
  {
    summary: 'A short URL that does not exist',
    path: REDUCTION,
    form: { short_string: 'unknown-code' },
    status: 404,
    answer: { code: 404, msg: 'No such short URL' },
  },
  {
    summary: 'A short URL, with the token of a login',
    path: SHORTEN,
    headers: SESSION,
    form: { long_url: longUrl },
    status: 200,
    answer: { code: 0, msg: null, data: { short_url: `https://s.example.org/t/${code}`, shorten: code } },
    varies: ['data.short_url'],
  },
  {
    summary: 'A custom code, with the cookie',
    path: SHORTEN,
    headers: { Cookie: `sessionId=${EXAMPLE.token}` },
    form: { long_url: 'https://example.org/spring', jid: 'spring-2026' },
    status: 200,
    answer: {
      code: 0,
      msg: null,
      data: { short_url: 'https://s.example.org/t/spring-2026', shorten: 'spring-2026' },
    },
    varies: ['data.short_url'],
  },
  {
    summary: 'A code that is taken',
    path: SHORTEN,
    headers: SESSION,
    form: { long_url: 'https://example.org/', jid: EXAMPLE.unsafeCode },
    status: 409,
    answer: { code: 409, msg: `Code "${EXAMPLE.unsafeCode}" is taken` },
  },
  {
    summary: 'Not a web address',
    path: SHORTEN,
    headers: SESSION,
    form: { long_url: 'javascript:alert(1)' },
    status: 400,
    answer: { code: 400, msg: 'Field "long_url" must begin with http:// or https://' },
  },
  {
    summary: 'Without a login or key',
    path: SHORTEN,
    form: { long_url: 'https://example.org/' },
    status: 401,
    answer: { code: 401, msg: 'A login or an API key is required to shorten URLs' },
  },
];
