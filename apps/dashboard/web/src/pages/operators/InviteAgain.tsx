import type { InvitedOperator, Operator } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { DialogButtons } from '../../components/dialogs/PageDialog.tsx';
import { SecretFormDialog } from '../../components/dialogs/Secret.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { withPrompts } from '../../session/prompts.ts';
import { useSession } from '../../session/session.ts';
import { linkText, shownInvitation } from './invitation.ts';

type AgainProps = { operator: Operator; onInvited(invited: InvitedOperator): void; onCancel(): void };

const AgainForm = ({ operator: { _id }, onInvited, onCancel }: AgainProps) => {
  const { mail } = useSession();
  const request = useMutation({
    async mutationFn() {
      onInvited(await withPrompts(() => api.operators.invite(_id)));
    },
  });
  return (
    <ActionForm request={request}>
      <p>The earlier link stops working. {linkText(mail)}</p>
      <DialogButtons submit="Send again" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Makes a new link for an operator who was invited. If the service sends no mail, it is shown once. */
export const InviteAgain = ({ operator, onClose }: { operator: Operator; onClose(): void }) => (
  <SecretFormDialog<InvitedOperator>
    title={`Send the invitation of ${operator.email} again?`}
    list="operators"
    form={(onInvited, onCancel) => (
      <AgainForm operator={operator} onInvited={onInvited} onCancel={onCancel} />
    )}
    secret={shownInvitation}
    close={onClose}
  />
);
