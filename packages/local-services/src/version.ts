/** The first dotted number in a text: "Redis server v=7.0.15 sha=…" → "7.0.15". */
export function versionIn(text: string): string | undefined {
  return /\d+(?:\.\d+)+/.exec(text)?.[0];
}

/**
 * Returns whether a version is at least `minimum`. Versions are compared number by number: 1.10 is later than 1.9. A
 * missing part counts as 0.
 */
export function isAtLeast(version: string, minimum: string): boolean {
  const parts = version.split('.').map(Number);
  const least = minimum.split('.').map(Number);
  for (let i = 0; i < Math.max(parts.length, least.length); i++) {
    const difference = (parts[i] ?? 0) - (least[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
