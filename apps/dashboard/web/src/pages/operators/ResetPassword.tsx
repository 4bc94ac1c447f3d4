import type { Operator } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { DialogButtons } from '../../components/dialogs/PageDialog.tsx';
import { SecretFormDialog } from '../../components/dialogs/Secret.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { withPrompts } from '../../session/prompts.ts';
import { makePassword, type NewPassword, shownPassword } from './password.ts';

type ResetFormProps = { operator: Operator; onReset(reset: NewPassword): void; onCancel(): void };

const ResetForm = ({ operator: { _id, email }, onReset, onCancel }: ResetFormProps) => {
  const request = useMutation({
    async mutationFn() {
      const password = makePassword();
      await withPrompts(() => api.operators.update(_id, { password }));
      onReset({ email, password });
    },
  });
  return (
    <ActionForm request={request}>
      <p>
        The operator gets a new password, and all sessions of the operator end at once. The old password
        cannot be brought back.
      </p>
      <DialogButtons submit="Reset password" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Sets a new password for an operator who has forgotten it, and shows it once. */
export const ResetPassword = ({ operator, onClose }: { operator: Operator; onClose(): void }) => (
  <SecretFormDialog<NewPassword>
    title={`Reset the password of ${operator.email}?`}
    list="operators"
    form={(onReset, onCancel) => <ResetForm operator={operator} onReset={onReset} onCancel={onCancel} />}
    secret={shownPassword}
    close={onClose}
  />
);
