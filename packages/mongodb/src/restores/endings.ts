import { clock } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { insertNew } from '../driver/statements.ts';

/*
 * What has ended for ever. A database that is restored from a backup has it again, so each ending is entered: in the database
 * before it happens, and from there in the vault, which no restore of the database changes. Sessions and links are not
 * entered, because sealing a restored database ends all of them. A deleted organization is not entered, because the vault has
 * its destroyed keys.
 */

/**
 * `disabledOperator`: an operator who was disabled. `factor`: a passkey, or an app for codes.
 * `patientRecords`: a patient who was erased without the billing.
 */
export type EndingKind =
  | 'apiKey'
  | 'programToken'
  | 'connection'
  | 'subscription'
  | 'operator'
  | 'disabledOperator'
  | 'factor'
  | 'patient'
  | 'patientRecords';
export type Ending = { kind: EndingKind; id: string; organizationId?: string };
/** `_id` is the kind and the id, so an ending is entered once. */
export type EndingDocument = Ending & { _id: string; time: Date };

/**
 * Enters an ending, before it happens: if the process dies in between, it is entered and has not happened, which does harm
 * only if the database is restored, and is listed then.
 */
export const enterEnding = async (endings: Collection<EndingDocument>, ending: Ending): Promise<void> => {
  await insertNew(endings, [{ _id: `${ending.kind} ${ending.id}`, ...ending, time: clock.now() }]);
};
