import type { ApiKey } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ClinicsField } from '../../clinics/ClinicsField.tsx';
import { useClinicNames } from '../../clinics/requests.ts';
import { DialogButtons, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Field } from '../../components/forms/Field.tsx';
import { localOf, TimeField, timeOf } from '../../components/forms/TimeField.tsx';
import { Versions } from '../../components/forms/Versions.tsx';
import { Note } from '../../components/states/Note.tsx';
import { offerUndo } from '../../components/undo/undo.ts';
import { changeSeen, undoOwn } from '../../session/seen-change.ts';
import { fieldsOf, isSameKey, type KeyFields, linesOf, updateOf, widenings } from './change.ts';
import { ScopesField } from './ScopesField.tsx';

/** The end of a key as its field shows it. */
const localEndOf = ({ expiryTime }: ApiKey): string =>
  expiryTime === undefined ? '' : localOf(Date.parse(expiryTime));

const EditForm = ({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) => {
  const queries = useQueryClient();
  /** The version that the edit starts from. */
  const [base, setBase] = useState(apiKey);
  const [name, setName] = useState(apiKey.name);
  const [scopes, setScopes] = useState(apiKey.scopes);
  const [clinicIds, setClinicIds] = useState<readonly string[]>(apiKey.clinicIds ?? []);
  const [rateLimit, setRateLimit] = useState(String(apiKey.rateLimit));
  const [end, setEnd] = useState(localEndOf(apiKey));
  const [isChanged, setChanged] = useState(false);
  const clinicOf = useClinicNames();
  // The field has no seconds, so an end that was not edited is kept as it is.
  const expiryTime = end === localEndOf(base) ? base.expiryTime : timeOf(end);
  const mine: KeyFields = { name, scopes, rateLimit: Number(rateLimit), clinicIds, expiryTime };
  const widened = widenings(fieldsOf(base), mine, clinicOf);
  const request = useMutation({
    async mutationFn() {
      const { _id } = apiKey;
      const result = await changeSeen(
        () => api.apiKeys.get(_id).withResponse(),
        // A repeated request can find its own change.
        (stored) => isSameKey(fieldsOf(stored), fieldsOf(base)) || isSameKey(fieldsOf(stored), mine),
        (ifMatch) => api.apiKeys.update(_id, updateOf(mine), { ifMatch }),
      );
      if ('theirs' in result) {
        setBase(result.theirs);
        setChanged(true);
        return;
      }
      const reload = () => queries.invalidateQueries({ queryKey: ['keys'] });
      await reload();
      onClose();
      const [before, saved] = [fieldsOf(base), fieldsOf(result.saved)];
      if (isSameKey(before, saved)) return;
      offerUndo({
        done: `The key ${saved.name} is changed.`,
        undone: `The key ${before.name} is as it was before.`,
        async undo() {
          await undoOwn(
            () => api.apiKeys.get(_id).withResponse(),
            (stored) => isSameKey(fieldsOf(stored), saved),
            (stored) => isSameKey(fieldsOf(stored), before),
            (ifMatch) => api.apiKeys.update(_id, updateOf(before), { ifMatch }),
          );
          await reload();
        },
      });
    },
  });
  return (
    <ActionForm request={request}>
      {isChanged && (
        <Versions of="key" mine={linesOf(mine, clinicOf)} theirs={linesOf(fieldsOf(base), clinicOf)} />
      )}
      <Field label="Name" name="name" isRequired maxLength={200} value={name} onChange={setName} />
      <ScopesField value={scopes} onChange={setScopes} />
      <ClinicsField
        description="Without a selection, the key is for all clinics, also for those that are added later."
        value={clinicIds}
        onChange={setClinicIds}
      />
      <Field
        label="Requests per minute"
        name="rateLimit"
        type="number"
        isRequired
        value={rateLimit}
        onChange={setRateLimit}
      />
      <TimeField
        label="Ends"
        name="expiryTime"
        description="Without a time, the key has no end."
        value={end}
        onChange={setEnd}
      />
      {widened.length > 0 && (
        <Note tone="warning" role="status">
          <p>After saving, everyone with this key can also:</p>
          <ul>
            {widened.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Note>
      )}
      <DialogButtons submit="Save" onCancel={onClose} />
    </ActionForm>
  );
};

/** Changes a key. Additional permissions are shown before the key is saved. */
export const EditKey = ({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) => (
  <PageDialog title={`Edit ${apiKey.name}`} onClose={onClose}>
    <EditForm apiKey={apiKey} onClose={onClose} />
  </PageDialog>
);
