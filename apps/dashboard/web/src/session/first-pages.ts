import type { Page } from '@chairside/client';
import { withPrompts } from './prompts.ts';

/** Reads the first pages of a list, one after the other. @returns also whether there are more */
export const firstPages = async <T>(
  list: { page(cursor?: string): PromiseLike<Page<T>> },
  max: number,
): Promise<{ rows: T[]; isCut: boolean }> => {
  const rows: T[] = [];
  let cursor: string | undefined;
  for (let count = 1; count <= max; count++) {
    const page = await withPrompts(() => list.page(cursor));
    rows.push(...page.data);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return { rows, isCut: cursor !== undefined };
};
