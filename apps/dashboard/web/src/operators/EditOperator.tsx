import type { Operator } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { DialogButtons, PageDialog } from '../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../components/forms/ActionForm.tsx';
import { choicesOf, Field, Select } from '../components/forms/Field.tsx';
import { Versions } from '../components/forms/Versions.tsx';
import { Note } from '../components/states/Note.tsx';
import { offerUndo } from '../components/undo/undo.ts';
import { expectEnd } from '../session/prompts.ts';
import { changeSeen, undoOwn } from '../session/seen-change.ts';
import { ROLE_HINT, ROLES, roleOf } from './roles.ts';
import { ENDED, remainText } from './self.ts';

type Fields = Pick<Operator, 'email' | 'role'>;

const areEqual = (a: Fields, b: Fields): boolean => a.email === b.email && a.role === b.role;

/** The fields that differ. Only they are sent, because the audit log lists what was sent as changed. */
const changed = (from: Fields, to: Fields): Partial<Fields> => ({
  ...(to.email !== from.email && { email: to.email }),
  ...(to.role !== from.role && { role: to.role }),
});

/** The fields as lines of text, to compare two versions. */
const linesOf = ({ email, role }: Fields): string[] => [`E-mail: ${email}`, `Role: ${ROLES[role]}`];

type EditProps = {
  operator: Operator;
  /** Whether operators edit themselves. */
  isSelf: boolean;
  /** The e-mail addresses of the other administrators. */
  others: readonly string[];
  onClose(): void;
};

const EditForm = ({ operator, isSelf, others, onClose }: EditProps) => {
  const queries = useQueryClient();
  /** The version that the edit starts from. */
  const [base, setBase] = useState<Fields>(operator);
  const [mine, setMine] = useState<Fields>({ email: operator.email, role: operator.role });
  const [isChanged, setChanged] = useState(false);
  const request = useMutation({
    async mutationFn() {
      const { _id } = operator;
      if (areEqual(base, mine)) return onClose();
      const result = await changeSeen(
        () => api.operators.get(_id).withResponse(),
        (stored) => areEqual(stored, base) || areEqual(stored, mine),
        (ifMatch) => api.operators.update(_id, changed(base, mine), { ifMatch }),
      );
      if ('theirs' in result) {
        setBase(result.theirs);
        setChanged(true);
        return;
      }
      if (isSelf && mine.role !== base.role) {
        const message = `Your role is now ${ROLES[mine.role]}, so your sessions have ended. Sign in again to continue.`;
        expectEnd({ message, email: mine.email });
      }
      onClose();
      const reload = () => queries.invalidateQueries({ queryKey: ['operators'] });
      await reload();
      const before: Fields = { email: base.email, role: base.role };
      if (isSelf) return;
      offerUndo({
        done: `${mine.email} is changed.`,
        lost: mine.role === before.role ? undefined : ENDED,
        undone: `${before.email} is as before.`,
        async undo() {
          await undoOwn(
            () => api.operators.get(_id).withResponse(),
            (stored) => areEqual(stored, mine),
            (stored) => areEqual(stored, before),
            (ifMatch) => api.operators.update(_id, changed(mine, before), { ifMatch }),
          );
          await reload();
        },
      });
    },
  });
  const isRefused = isSelf && others.length === 0;
  return (
    <ActionForm request={request}>
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
        name="role"
        description={ROLE_HINT}
        value={mine.role}
        choices={choicesOf(ROLES)}
        onChange={(value) => setMine({ ...mine, role: roleOf(value) })}
      />
      {mine.role !== base.role && (
        <Note tone="warning" role="status">
          {isSelf && <p className="strong">You are editing yourself. {remainText(others)}</p>}
          {!isRefused && (
            <p>A new role ends all sessions, access tokens and connected apps of the operator at once.</p>
          )}
          {isSelf && !isRefused && (
            <p>As staff you are signed out now, and you can no longer open this page.</p>
          )}
        </Note>
      )}
      <DialogButtons submit="Save" onCancel={onClose} />
    </ActionForm>
  );
};

/** Changes the e-mail address and the role of an operator. */
export const EditOperator = (props: EditProps) => (
  <PageDialog title={`Edit ${props.operator.email}`} onClose={props.onClose}>
    <EditForm {...props} />
  </PageDialog>
);
