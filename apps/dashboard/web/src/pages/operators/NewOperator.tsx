import type { InvitedOperator, Operator } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { DialogButtons } from '../../components/dialogs/PageDialog.tsx';
import { SecretDialog } from '../../components/dialogs/Secret.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { choicesOf, Select } from '../../components/forms/Field.tsx';
import { withPrompts } from '../../session/prompts.ts';
import { useSession } from '../../session/session.ts';
import { linkText, shownInvitation } from './invitation.ts';
import { EmailField, NameField } from './OperatorFields.tsx';
import { ROLE_HINT, ROLES, roleOf } from './roles.ts';

const InviteForm = ({
  onInvited,
  onCancel,
}: {
  onInvited(invited: InvitedOperator): void;
  onCancel(): void;
}) => {
  const { mail } = useSession();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Operator['role']>('staff');
  const request = useMutation({
    async mutationFn() {
      onInvited(await withPrompts(() => api.operators.create({ email, role, ...(name !== '' && { name }) })));
    },
  });
  return (
    <ActionForm request={request}>
      <EmailField value={email} onChange={setEmail} />
      <NameField value={name} onChange={setName} />
      <Select
        label="Role"
        name="role"
        description={ROLE_HINT}
        value={role}
        choices={choicesOf(ROLES)}
        onChange={(value) => setRole(roleOf(value))}
      />
      <p>{linkText(mail)}</p>
      <DialogButtons submit="Invite" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Invites an operator. If the service sends no mail, the link is shown once. */
export const NewOperator = () => (
  <SecretDialog<InvitedOperator>
    name="New operator"
    className="primary"
    title="New operator"
    list="operators"
    form={(onInvited, onCancel) => <InviteForm onInvited={onInvited} onCancel={onCancel} />}
    secret={shownInvitation}
  />
);
