/** A parsed JSON value whose shape is not known yet. */
type Json = Readonly<Record<string, unknown>>;

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
/** Headers that are no parameters, says the specification. */
const IGNORED = /^(?:accept|authorization|content-type)$/i;
const PLACES = new Set(['query', 'header', 'path', 'cookie']);

/** Returns what an OpenAPI 3.1 document gets wrong of what the specification demands; [] = nothing that is looked for. */
export function findOpenApiProblems(document: Json): readonly string[] {
  const problems: string[] = [];
  const check = (isRight: boolean, problem: string): void => {
    if (!isRight) problems.push(problem);
  };
  const info = toObject(document.info);
  check(/^3\.1\.\d+$/.test(String(document.openapi)), 'openapi is no 3.1 version');
  check(isText(info.title) && isText(info.version), 'info lacks title or version');
  checkServers(document.servers, 'document', check);
  const schemes = toObject(toObject(document.components).securitySchemes);
  for (const [name, scheme] of Object.entries(schemes)) checkScheme(name, toObject(scheme), check);
  const tags = toArray(document.tags).map((tag) => toObject(tag).name);
  check(new Set(tags).size === tags.length && tags.every(isText), 'tags are not unique names');
  const ids = new Set<unknown>();
  const shapes = new Set<string>();
  for (const [path, item] of Object.entries(toObject(document.paths))) {
    check(path.startsWith('/') && !/[?#:]/.test(path), `${path} is no path`);
    const shape = path.replace(/\{\w+\}/g, '{}');
    check(!shapes.has(shape), `${path} differs from another path in names only`);
    shapes.add(shape);
    for (const [method, value] of Object.entries(toObject(item))) {
      const operation = toObject(value);
      const at = `${method} ${path}`;
      check(METHODS.has(method), `${at}: no method`);
      check(isText(operation.operationId) && !ids.has(operation.operationId), `${at}: operationId is not unique`);
      ids.add(operation.operationId);
      check(
        toArray(operation.tags).every((tag) => tags.includes(tag)),
        `${at}: a tag is not declared`,
      );
      if (operation.servers !== undefined) checkServers(operation.servers, at, check);
      checkParameters(path, toArray(operation.parameters).map(toObject), at, check);
      checkAnswers(toObject(operation.responses), at, check);
      for (const alternative of toArray(operation.security ?? [])) {
        for (const [name, scopes] of Object.entries(toObject(alternative))) {
          check(Object.hasOwn(schemes, name) && Array.isArray(scopes), `${at}: scheme "${name}" is not declared`);
        }
      }
      const body = operation.requestBody;
      if (body !== undefined) checkContent(toObject(toObject(body).content), `${at} body`, check);
    }
  }
  check(ids.size > 0, 'there are no operations');
  checkReferences(document, document, check);
  return problems;
}

type Check = (isRight: boolean, problem: string) => void;

function checkServers(servers: unknown, at: string, check: Check): void {
  check(Array.isArray(servers) && servers.length > 0, `${at}: no servers`);
  for (const server of toArray(servers)) {
    check(URL.canParse(String(toObject(server).url)), `${at}: a server has no URL`);
  }
}

function checkScheme(name: string, scheme: Json, check: Check): void {
  check(/^[\w.-]+$/.test(name), `scheme "${name}" has no proper name`);
  check(scheme.type === 'apiKey' && isText(scheme.name), `scheme "${name}" is no apiKey with a name`);
  check(['query', 'header', 'cookie'].includes(String(scheme.in)), `scheme "${name}" is nowhere`);
}

function checkParameters(path: string, parameters: readonly Json[], at: string, check: Check): void {
  const keys = parameters.map((parameter) => `${parameter.in} ${String(parameter.name).toLowerCase()}`);
  check(new Set(keys).size === keys.length, `${at}: a parameter stands twice`);
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name);
  const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  check(inPath.join() === wanted.join(), `${at}: path parameters are ${inPath.join()} instead of ${wanted.join()}`);
  for (const parameter of parameters) {
    const name = `${at} parameter ${String(parameter.name)}`;
    check(isText(parameter.name) && PLACES.has(String(parameter.in)), `${name}: no name or place`);
    check(parameter.in !== 'path' || parameter.required === true, `${name}: not required`);
    check(parameter.schema !== undefined, `${name}: no schema`);
    const isIgnored = parameter.in === 'header' && IGNORED.test(String(parameter.name));
    check(!isIgnored, `${name}: OpenAPI ignores it`);
    checkExamples(parameter, name, check);
  }
}

function checkAnswers(answers: Json, at: string, check: Check): void {
  check(Object.keys(answers).length > 0, `${at}: no responses`);
  for (const [status, answer] of Object.entries(answers)) {
    const { description, content } = toObject(answer);
    check(/^[1-5]\d\d$/.test(status), `${at}: ${status} is no status`);
    check(isText(description), `${at} ${status}: no description`);
    if (content !== undefined) checkContent(toObject(content), `${at} ${status}`, check);
  }
}

function checkContent(content: Json, at: string, check: Check): void {
  check(Object.keys(content).length > 0, `${at}: no media type`);
  for (const [media, value] of Object.entries(content)) {
    check(/^[\w+.-]+\/[\w+.*-]+$/.test(media), `${at}: "${media}" is no media type`);
    checkExamples(toObject(value), at, check);
  }
}

function checkExamples(holder: Json, at: string, check: Check): void {
  check(holder.example === undefined || holder.examples === undefined, `${at}: example and examples`);
  for (const [name, example] of Object.entries(toObject(holder.examples ?? {}))) {
    check(Object.hasOwn(toObject(example), 'value'), `${at}: example "${name}" has no value`);
  }
}

function checkReferences(value: unknown, document: Json, check: Check): void {
  if (typeof value !== 'object' || value === null) return;
  const reference = (value as Json).$ref;
  if (typeof reference === 'string') {
    const found = reference
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((at, key) => toObject(at)[key], document);
    check(reference.startsWith('#/') && found !== undefined, `"${reference}" leads nowhere`);
  }
  for (const inner of Object.values(value)) checkReferences(inner, document, check);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
