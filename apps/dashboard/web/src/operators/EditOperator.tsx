import { ChairsideError, type Operator } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { DialogButton } from '../components/DialogButton.tsx';
import { choicesOf, Field, Select } from '../components/Field.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../components/Problem.tsx';
import { Versions } from '../components/Versions.tsx';
import { operatorsQuery } from '../principals/requests.ts';
import { withPrompts } from '../session/prompts.ts';
import { ROLES, roleOf } from './roles.ts';

type Fields = Pick<Operator, 'email' | 'role'>;

const areEqual = (a: Fields, b: Fields): boolean => a.email === b.email && a.role === b.role;

/** The fields as lines of text, to compare two versions. */
const linesOf = ({ email, role }: Fields): string[] => [`E-mail: ${email}`, `Role: ${ROLES[role]}`];

const EditForm = ({ operator, onClose }: { operator: Operator; onClose(): void }) => {
  const queries = useQueryClient();
  /** The version that the edit starts from. */
  const [base, setBase] = useState<Fields>(operator);
  const [mine, setMine] = useState<Fields>({ email: operator.email, role: operator.role });
  const [isChanged, setChanged] = useState(false);
  const request = useMutation({
    async mutationFn() {
      const all = await queries.fetchQuery({ ...operatorsQuery, staleTime: 0 });
      const current = all.find(({ _id }) => _id === operator._id);
      if (current === undefined)
        throw new ChairsideError({
          name: 'NotFound',
          status: 404,
          message: 'Somebody has deleted this operator.',
        });
      if (!areEqual(current, base) && !areEqual(current, mine)) {
        setBase(current);
        setChanged(true);
        return;
      }
      await withPrompts(() => api.operators.update(operator._id, mine));
      onClose();
      await queries.invalidateQueries({ queryKey: ['operators'] });
    },
  });
  return (
    <ActionForm request={request}>
      <Problem error={request.error} />
      {isChanged && <Versions of="operator" mine={linesOf(mine)} theirs={linesOf(base)} />}
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="off"
        isRequired
        maxLength={320}
        value={mine.email}
        onChange={(email) => setMine({ ...mine, email })}
      />
      <Select
        label="Role"
        value={mine.role}
        choices={choicesOf(ROLES)}
        onChange={(value) => setMine({ ...mine, role: roleOf(value) })}
      />
      {mine.role !== base.role && (
        <p role="status" className="notice">
          A new role ends all sessions of the operator at once.
        </p>
      )}
      <DialogButtons submit="Save" isPending={request.isPending} onCancel={onClose} />
    </ActionForm>
  );
};

/** Changes the e-mail address and the role of an operator. */
export const EditOperator = ({ operator }: { operator: Operator }) => (
  <DialogButton name="Edit" of={operator.email}>
    {(close) => (
      <PageDialog title={`Edit ${operator.email}`} onClose={close}>
        <EditForm operator={operator} onClose={close} />
      </PageDialog>
    )}
  </DialogButton>
);
