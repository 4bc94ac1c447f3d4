import { ChairsideError, type Operator } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { api } from '../api/client.ts';
import { useFieldErrors } from '../api/problems.ts';
import { Choose, Field } from '../components/Field.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';
import { operatorsQuery, ROLE_CHOICES, ROLES, roleOf } from './requests.ts';

/** The fields that the dialog changes. */
type Fields = Pick<Operator, 'email' | 'role'>;

const areEqual = (a: Fields, b: Fields): boolean => a.email === b.email && a.role === b.role;

const Version = ({ title, fields }: { title: string; fields: Fields }) => (
  <div>
    <h3>{title}</h3>
    <ul>
      <li>E-mail: {fields.email}</li>
      <li>Role: {ROLES[fields.role]}</li>
    </ul>
  </div>
);

/** The edited operator has changed meanwhile: both versions, and the choice between them. */
const Conflict = ({ mine, theirs }: { mine: Fields; theirs: Fields }) => (
  <div role="alert" className="problem">
    <p>Somebody else has changed this operator. Save again to replace their version, or cancel to keep it.</p>
    <div className="versions">
      <Version title="Your version" fields={mine} />
      <Version title="Their version" fields={theirs} />
    </div>
  </div>
);

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
    <Form
      className="form"
      validationErrors={useFieldErrors(request.error)}
      onSubmit={(event) => {
        event.preventDefault();
        request.mutate();
      }}
    >
      <Problem error={request.error} />
      {isChanged && <Conflict mine={mine} theirs={base} />}
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
      <Choose
        label="Role"
        value={mine.role}
        choices={ROLE_CHOICES}
        onChange={(value) => setMine({ ...mine, role: roleOf(value) })}
      />
      {mine.role !== base.role && (
        <p role="status" className="notice">
          A new role ends all sessions of the operator at once.
        </p>
      )}
      <DialogButtons submit="Save" isPending={request.isPending} onCancel={onClose} />
    </Form>
  );
};

/** Changes the e-mail address and the role of an operator. */
export const EditOperator = ({ operator }: { operator: Operator }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button aria-label={`Edit ${operator.email}`} onPress={() => setOpen(true)}>
        Edit
      </Button>
      <PageDialog title={`Edit ${operator.email}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <EditForm operator={operator} onClose={() => setOpen(false)} />
      </PageDialog>
    </>
  );
};
