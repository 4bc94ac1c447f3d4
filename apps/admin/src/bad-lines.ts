/** Names documents whose values do not open, up to a hundred of them. */
export const badLines = (bad: readonly { name: string; _id: string }[], what: string): string[] => [
  ...bad.slice(0, 100).map(({ name, _id }) => `  ${what}: ${name} ${_id}`),
  ...(bad.length > 100 ? [`  and ${bad.length - 100} others: --json has them all`] : []),
];
