import type { Operator, UpdateOperator } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { DialogButtons, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { choicesOf, Select } from '../../components/forms/Field.tsx';
import { Versions } from '../../components/forms/Versions.tsx';
import { Note } from '../../components/states/Note.tsx';
import { useNow } from '../../components/texts/now.ts';
import { offerUndo } from '../../components/undo/undo.ts';
import { expectEnd } from '../../session/prompts.ts';
import { changeSeen, undoOwn } from '../../session/seen-change.ts';
import { EmailField, NameField } from './OperatorFields.tsx';
import { ROLE_HINT, ROLES, roleOf } from './roles.ts';
import { ENDED, remainText } from './self.ts';

/** What the form edits. An operator without a name has an empty one here. */
type Fields = Pick<Operator, 'email' | 'role'> & { name: string };

const fieldsOf = ({ email, role, name = '' }: Operator): Fields => ({ email, role, name });
const areEqual = (a: Fields, b: Fields): boolean =>
  a.email === b.email && a.role === b.role && a.name === b.name;

/** The fields that differ. Only they are sent, because the audit log lists what was sent as changed. */
const changed = (from: Fields, to: Fields): UpdateOperator => ({
  ...(to.email !== from.email && { email: to.email }),
  ...(to.role !== from.role && { role: to.role }),
  ...(to.name !== from.name && { name: to.name === '' ? null : to.name }),
});

/** The fields as lines of text, to compare two versions. */
const linesOf = ({ email, role, name }: Fields): string[] => [
  `E-mail: ${email}`,
  `Name: ${name}`,
  `Role: ${ROLES[role]}`,
];

type EditProps = {
  operator: Operator;
  /** Whether operators edit themselves. */
  isSelf: boolean;
  /** The other administrators. */
  others: readonly Operator[];
  onClose(): void;
};

const EditForm = ({ operator, isSelf, others, onClose }: EditProps) => {
  const queries = useQueryClient();
  /** The version that the edit starts from. */
  const [base, setBase] = useState<Fields>(() => fieldsOf(operator));
  const [mine, setMine] = useState<Fields>(base);
  const now = useNow();
  const [isChanged, setChanged] = useState(false);
  const request = useMutation({
    async mutationFn() {
      const { _id } = operator;
      if (areEqual(base, mine)) return onClose();
      const result = await changeSeen(
        () => api.operators.get(_id).withResponse(),
        (stored) => [base, mine].some((fields) => areEqual(fieldsOf(stored), fields)),
        (ifMatch) => api.operators.update(_id, changed(base, mine), { ifMatch }),
      );
      if ('theirs' in result) {
        setBase(fieldsOf(result.theirs));
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
      if (isSelf) return;
      offerUndo({
        done: `${mine.email} is changed.`,
        lost: mine.role === base.role ? undefined : ENDED,
        undone: `${base.email} is as before.`,
        async undo() {
          await undoOwn(
            () => api.operators.get(_id).withResponse(),
            (stored) => areEqual(fieldsOf(stored), mine),
            (stored) => areEqual(fieldsOf(stored), base),
            (ifMatch) => api.operators.update(_id, changed(mine, base), { ifMatch }),
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
      <EmailField value={mine.email} onChange={(email) => setMine({ ...mine, email })} />
      <NameField value={mine.name} onChange={(name) => setMine({ ...mine, name })} />
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
          {isSelf && <p className="strong">You are editing yourself. {remainText(others, now)}</p>}
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

/** Changes the e-mail address, the name and the role of an operator. */
export const EditOperator = (props: EditProps) => (
  <PageDialog title={`Edit ${props.operator.email}`} onClose={props.onClose}>
    <EditForm {...props} />
  </PageDialog>
);
