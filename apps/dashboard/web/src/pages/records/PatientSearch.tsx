import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { problemOf, UnusableInput } from '../../api/problems.ts';
import { Search } from '../../components/lists/Search.tsx';
import { useIfShown } from '../../components/states/if-shown.ts';
import { useHandOver } from '../../components/transitions/hand-over.ts';
import {
  PATIENT_FIELD,
  PHONE_HINT,
  recognize,
  type PatientSearch as Wanted,
} from '../../records/patient-search.ts';
import { findPatient } from '../../records/patients.ts';
import { Dismissed } from '../../session/prompts.ts';
import { FoundCount } from './FoundCount.tsx';

/**
 * Finds patients by name, telephone number or e-mail address, or opens the one with an id. What is entered stays in the
 * state of this page, so that no link and no browser history contains it. An id gets into the address only if a patient
 * has it, because a name or a number may look like one.
 */
export const PatientSearch = ({
  results,
  entered,
  onEnter,
  onChange,
  onRefuse,
}: {
  /** The results of the search; undefined if there is none. */
  results: Omit<ComponentProps<typeof FoundCount>, 'onRemove'> | undefined;
  entered: string;
  onEnter(text: string): void;
  /** @param search undefined to end the search */
  onChange(search: Wanted | undefined): void;
  /** What was entered cannot be searched for. */
  onRefuse(): void;
}) => {
  const navigate = useNavigate();
  const ifShown = useIfShown();
  const search = useMutation({
    async mutationFn(text: string) {
      if (text === '') return onChange(undefined);
      const wanted = recognize(text);
      if (wanted.by === 'nothing') throw new UnusableInput(wanted.hint);
      if (wanted.by !== 'id') return onChange(wanted);
      const recordId = await findPatient(wanted.text);
      if (recordId === undefined) {
        const hint = /^\d+$/.test(wanted.text) ? ` ${PHONE_HINT}` : '';
        throw new UnusableInput(`No patient has this id.${hint}`);
      }
      const params = { kind: 'patients', recordId };
      await ifShown(() => navigate({ to: '/records/$kind/$recordId', params }));
    },
    onError: onRefuse,
  });
  const find = (text: string) => {
    onEnter(text);
    search.mutate(text.trim());
  };
  useHandOver(PATIENT_FIELD, find);
  const isRefused = search.error !== null && !(search.error instanceof Dismissed);
  return (
    <>
      <Search
        label={PATIENT_FIELD}
        submit="Search"
        maxLength={320}
        value={entered}
        isPending={search.isPending}
        onChange={(text) => {
          onEnter(text);
          search.reset();
        }}
        onSubmit={() => find(entered)}
      />
      {results && <FoundCount {...results} onRemove={() => find('')} />}
      {isRefused && (
        <p role="alert" className="refused">
          {problemOf(search.error).message}
        </p>
      )}
    </>
  );
};
