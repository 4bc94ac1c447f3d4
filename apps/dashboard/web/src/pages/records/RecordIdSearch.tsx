import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { problemOf, UnusableInput } from '../../api/problems.ts';
import { ID_HINT, isAnyId, isId } from '../../components/lists/id.ts';
import { Search } from '../../components/lists/Search.tsx';
import { useIfShown } from '../../components/states/if-shown.ts';
import type { Kind } from '../../records/kinds.ts';
import { findPatient } from '../../records/patients.ts';
import { hasRecord, withExternalId } from '../../records/record.ts';
import { Dismissed } from '../../session/prompts.ts';
import { describe } from './descriptions.ts';

const NAME_HINT = 'A person is found by name on the page Patients.';

/**
 * Opens the record with an id or an external id. If the list can be limited to a patient, any other id is taken as that of the
 * patient.
 *
 * @param props.patientId the patient in the address. If the component also has this value as its `key`, the field follows
 *   the address
 */
export const RecordIdSearch = ({
  kind,
  patientId,
  onPatient,
}: {
  kind: Kind;
  patientId: string | undefined;
  /** Absent if the list has no such filter. */
  onPatient: ((patientId: string | undefined) => void) | undefined;
}) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const ifShown = useIfShown();
  const [entered, setEntered] = useState(patientId ?? '');
  const one = describe(kind).one.toLowerCase();
  const search = useMutation({
    async mutationFn(id: string) {
      if (id === '') return onPatient?.(undefined);
      if (!isAnyId(id))
        throw new UnusableInput(onPatient === undefined ? ID_HINT : `${ID_HINT} ${NAME_HINT}`);
      const open = (recordId: string) =>
        ifShown(() => navigate({ to: '/records/$kind/$recordId', params: { kind, recordId } }));
      if (isId(id) && (await hasRecord(queries, kind, id))) return open(id);
      const patient = onPatient && (await findPatient(id));
      if (patient !== undefined) return ifShown(() => onPatient?.(patient));
      const recordId = await withExternalId(kind, id);
      if (recordId === undefined) throw new UnusableInput(`No ${one} has this id.`);
      await open(recordId);
    },
  });
  const isRefused = search.error !== null && !(search.error instanceof Dismissed);
  return (
    <>
      <Search
        label={onPatient === undefined ? `Id of one ${one}` : `Id of one ${one} or patient`}
        submit={onPatient === undefined ? 'Open' : 'Find'}
        value={entered}
        isPending={search.isPending}
        onChange={setEntered}
        onSubmit={() => search.mutate(entered.trim())}
      />
      {isRefused && (
        <p role="alert" className="refused">
          {problemOf(search.error).message}
        </p>
      )}
    </>
  );
};
