/** Returns a function that resolves a part of the document: the part itself, or the target of its `$ref`. */
export const referencesIn =
  (document: { [key: string]: any }) =>
  (part: any): any =>
    typeof part?.$ref === 'string'
      ? part.$ref
          .slice(2)
          .split('/')
          .reduce((at: any, name: string) => at[name], document)
      : part;
