/**
 * The address of the connector in one form, if this is its address: a slash at its end, the case of its host and its
 * default port do not matter. Clients normalize addresses in different ways, and some do so differently from request to
 * request.
 *
 * @param mcpUrl the setting MCP_URL
 * @returns `mcpUrl`, or the same resource if it is another one
 */
export const canonicalResource = (resource: string, mcpUrl: string): string => {
  const formOf = (url: string): string | undefined => URL.parse(url)?.href.replace(/\/$/, '');
  return formOf(resource) === formOf(mcpUrl) ? mcpUrl : resource;
};

/** Replaces the values of `resource` in a form by their canonical ones. */
export const withCanonicalResources = (form: string, mcpUrl: string): string => {
  const parameters = new URLSearchParams(form);
  if (!parameters.has('resource')) return form;
  const resources = parameters.getAll('resource').map((each) => canonicalResource(each, mcpUrl));
  parameters.delete('resource');
  for (const resource of new Set(resources)) parameters.append('resource', resource);
  return parameters.toString();
};
