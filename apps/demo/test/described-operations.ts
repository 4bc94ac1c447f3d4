import { referencesIn } from '@chairside/test-support';

/** What can be asked of a path: the names of what it takes in the query and in the body. */
export type Operation = { method: string; template: string; parameters: string[]; properties: string[] };

/** All that an OpenAPI document says the service can be asked. */
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
