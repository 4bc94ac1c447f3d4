import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogButtons, PageDialog } from '../../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../../components/forms/ActionForm.tsx';
import { Field } from '../../../components/forms/Field.tsx';
import { withPrompts } from '../../../session/prompts.ts';
import { createPasskey } from '../../../sign-in/passkeys.ts';
import { showRecoveryCodes } from './recovery-codes.tsx';
import { beginPasskey, completePasskey, refreshAfterAdding } from './requests.ts';

const AddForm = ({ onAdded, onCancel }: { onAdded(): void; onCancel(): void }) => {
  const [name, setName] = useState('');
  const request = useMutation({
    async mutationFn() {
      const options = await withPrompts(beginPasskey);
      const credential = await createPasskey(options);
      const { recoveryCodes } = await withPrompts(() => completePasskey(name, credential));
      showRecoveryCodes(recoveryCodes);
      onAdded();
    },
  });
  return (
    <ActionForm request={request}>
      <p>
        A passkey is kept by this device, your phone or a security key. With it, you sign in with the
        fingerprint, the face or the PIN of the device.
      </p>
      <Field
        label="Name"
        name="name"
        description="How you will recognize it, such as Phone."
        autoComplete="off"
        maxLength={100}
        autoFocus
        isRequired
        value={name}
        onChange={setName}
      />
      <DialogButtons submit="Create passkey" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Adds a passkey. */
export const AddPasskey = ({ onClose }: { onClose(): void }) => {
  const queries = useQueryClient();
  const added = () => {
    refreshAfterAdding(queries);
    onClose();
  };
  return (
    <PageDialog title="Add a passkey" onClose={onClose}>
      <AddForm onAdded={added} onCancel={onClose} />
    </PageDialog>
  );
};
