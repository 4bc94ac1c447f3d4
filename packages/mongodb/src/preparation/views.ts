import type { Db } from 'mongodb';
import { OPERATOR_ACCESS } from '../access/operator-view.ts';
import { applyView, isViewMissing } from '../driver/views.ts';
import { SCHEDULE_BUSY } from '../schedule/busy-view.ts';

const VIEWS = [SCHEDULE_BUSY, OPERATOR_ACCESS];

/**
 * Creates all views that are missing, if the database supports views.
 *
 * @throws {UnusableDatabaseError} if another collection or view has the name of one of them
 */
export const applyViews = async (database: Db): Promise<void> => {
  for (const view of VIEWS) await applyView(database, view);
};

/** The names of the missing views. */
export const missingViews = async (database: Db): Promise<string[]> => {
  const missing = await Promise.all(VIEWS.map((view) => isViewMissing(database, view)));
  return VIEWS.filter((_view, index) => missing[index]).map(({ name }) => name);
};
