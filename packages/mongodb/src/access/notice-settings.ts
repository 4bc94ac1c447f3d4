import { type NoticeSettings, type NoticeSettingsUpdate, switchableNotices } from '@chairside/domain';
import { findUnique } from '../driver/ferretdb.ts';
import type { OperatorDocument } from './operator-document.ts';
import type { OperatorCollections } from './operator-writes.ts';

type Of = Pick<OperatorCollections, 'operators' | 'organizationId'>;

/** A notice is on unless the operator has switched it off. */
const toSettings = ({ notices = {} }: Pick<OperatorDocument, 'notices'>): NoticeSettings =>
  Object.fromEntries(switchableNotices.map((kind) => [kind, notices[kind] ?? true])) as NoticeSettings;

/** Which notices an operator gets. See `Operators`. */
export const readNoticeSettings = async (
  { operators, organizationId }: Of,
  _id: string,
): Promise<NoticeSettings | undefined> => {
  const found = await findUnique(operators, { _id, organizationId }, { notices: 1 });
  return found && toSettings(found);
};

/** Switches notices of an operator. See `Operators`. */
export const changeNoticeSettings = async (
  of: Of,
  _id: string,
  changes: NoticeSettingsUpdate,
): Promise<NoticeSettings | undefined> => {
  const { operators, organizationId } = of;
  const switched = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (switched.length === 0) return readNoticeSettings(of, _id);
  const changed = await operators.findOneAndUpdate(
    { _id, organizationId },
    { $set: Object.fromEntries(switched.map(([kind, value]) => [`notices.${kind}`, value])) },
    { returnDocument: 'after', projection: { notices: 1 } },
  );
  return changed === null ? undefined : toSettings(changed);
};
