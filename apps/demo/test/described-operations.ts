import { referencesIn } from '@chairside/test-support';

/** An operation with the names of its query parameters and of the fields of its body. */
export type Operation = { method: string; template: string; parameters: string[]; properties: string[] };

/** All operations of an OpenAPI document. */
export const operationsOf = (document: any): Operation[] => {
  const resolve = referencesIn(document);
  return Object.entries<any>(document.paths).flatMap(([template, item]) =>
    Object.entries<any>(item).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      template,
      parameters: parameters.map(resolve).flatMap((each: any) => (each.in === 'query' ? [each.name] : [])),
      properties: Object.keys(resolve(requestBody?.content['application/json'].schema)?.properties ?? {}),
    })),
  );
};
