import { isMailbox } from '@chairside/domain';
import { referencesIn } from '@chairside/test-support';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The parts of a response that tests check. `json` is undefined if the body is not JSON. */
export type ApiResponse = { status: number; headers: Headers; text: string; json: any };

type Json = { [key: string]: any };

/**
 * Response headers that operations need not document, because HTTP defines them, they protect a browser, or only the
 * dashboard receives them.
 */
const ORDINARY =
  /^(content-.*|transfer-encoding|date|connection|keep-alive|vary|cache-control|referrer-policy|strict-transport-security|origin-agent-cluster|(cross-origin|access-control)-.*|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection|principal))$/;

/**
 * Makes a schema strict. A client ignores a field that it does not know, but in a test a field that the document does
 * not name is an error.
 */
const strict = (schema: any): any => {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const isClosed = inner.properties && inner.type === 'object' && inner.additionalProperties === undefined;
  return isClosed ? { ...inner, additionalProperties: false } : inner;
};

/** Redirects, and the script of a page. They are not in the document. */
export const NO_OPERATIONS: readonly string[] = ['/', '/dashboard', '/docs/reference.js'];

/** Compares responses with the OpenAPI document. */
export const createContract = (document: Json) => {
  const responded = new Set<string>();
  const validators = new Map<string, ValidateFunction>();
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  // JSON Schema, 7.3.2: a mailbox of RFC 5321. The format of the package has no quoted local part.
  ajv.addFormat('email', isMailbox);
  ajv.addSchema({ $id: 'document', components: { schemas: strict(document.components.schemas) } });

  const resolve = referencesIn(document);

  const validatorOf = (schema: Json): ValidateFunction => {
    const key = JSON.stringify(schema);
    const known = validators.get(key);
    if (known !== undefined) return known;
    const compiled = ajv.compile(JSON.parse(JSON.stringify(strict(schema)).replaceAll('"#/', '"document#/')));
    validators.set(key, compiled);
    return compiled;
  };

  const paths = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));

  const fail = (what: string, message: string, response: ApiResponse): never => {
    throw new Error(`${what} differs from the document: ${message}\n${response.text.slice(0, 1000)}`);
  };

  const operationOf = (method: string, path: string | undefined): Json | undefined =>
    path && document.paths[path]?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()];

  /** A response that belongs to no operation must be a refusal with the common error body. */
  const checkError = (what: string, method: string, response: ApiResponse): void => {
    const isError = validatorOf({ $ref: '#/components/schemas/Error' });
    if (response.status < 400 || !(method === 'HEAD' || isError(response.json)))
      fail(what, ajv.errorsText(isError.errors), response);
  };

  const checkHeaders = (what: string, documented: Json, response: ApiResponse): void => {
    const named = Object.keys(documented).map((name) => name.toLowerCase());
    const unnamed = [...response.headers.keys()].filter(
      (name) => !ORDINARY.test(name) && !named.includes(name),
    );
    if (unnamed.length > 0) fail(what, `the document does not have the headers ${unnamed}`, response);
    const isRetried = response.status === 429 || response.status === 503;
    for (const name of ['x-request-id', ...(isRetried ? ['retry-after'] : [])])
      if (!response.headers.has(name)) fail(what, `the header ${name} is missing`, response);
  };

  const checkBody = (
    what: string,
    method: string,
    content: Json | undefined,
    response: ApiResponse,
  ): void => {
    const schema = content?.['application/json']?.schema;
    if (schema && method !== 'HEAD') {
      const validate = validatorOf(schema);
      if (!validate(response.json)) fail(what, ajv.errorsText(validate.errors), response);
    } else if (content === undefined && response.text !== '')
      fail(what, 'the document has no body', response);
  };

  /** @throws {Error} if the document does not have this status, or has another body or other headers for it */
  const check = (method: string, url: string, response: ApiResponse): void => {
    const pathname = url.replace(/\?.*/s, '');
    const path = paths.find(({ pattern }) => pattern.test(pathname))?.path;
    const operation = operationOf(method, path);
    const what = `${method} ${path ?? pathname} ${response.status}`;
    if (NO_OPERATIONS.includes(pathname)) return;
    if (!operation) {
      checkError(what, method, response);
      return;
    }
    const described = operation.responses[response.status];
    if (described === undefined) fail(what, 'the document does not have this status', response);
    const { headers = {}, content } = resolve(described);
    checkHeaders(what, headers, response);
    checkBody(what, method, content, response);
    responded.add(what);
  };

  return { responded, check };
};
