import type { NewCode } from '@chairside/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogButtons, PageDialog } from '../../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../../components/forms/ActionForm.tsx';
import { Field } from '../../../components/forms/Field.tsx';
import { Problem } from '../../../components/states/Problem.tsx';
import { CopyText } from '../../../components/texts/CopyText.tsx';
import { withPrompts } from '../../../session/prompts.ts';
import { QrCode } from './QrCode.tsx';
import { showRecoveryCodes } from './recovery-codes.tsx';
import { beginCodes, completeCodes, refreshAfterAdding } from './requests.ts';

const CompleteForm = ({
  secret,
  uri,
  onAdded,
  onCancel,
}: NewCode & { onAdded(): void; onCancel(): void }) => {
  const [code, setCode] = useState('');
  const request = useMutation({
    async mutationFn() {
      const { recoveryCodes } = await withPrompts(() => completeCodes(code));
      showRecoveryCodes(recoveryCodes);
      onAdded();
    },
  });
  return (
    <ActionForm request={request}>
      <ol className="new-code">
        <li>
          <p>Scan this with an app for codes, such as that of your phone or password manager.</p>
          <QrCode text={uri} label="QR code of the secret" />
          <p className="small">No camera? Type the secret into the app:</p>
          <CopyText label="Secret" text={secret} />
        </li>
        <li>
          <Field
            label="The code that the app shows"
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={20}
            isRequired
            value={code}
            onChange={setCode}
          />
        </li>
        <li>
          <p>Then you get recovery codes to keep.</p>
        </li>
      </ol>
      <DialogButtons submit="Add" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Adds an app for one-time codes, in three steps: the secret, its first code, and the recovery codes. */
export const AddCodes = ({ onClose }: { onClose(): void }) => {
  const queries = useQueryClient();
  const begun = useQuery({
    queryKey: ['new-code'],
    queryFn: () => withPrompts(() => beginCodes()),
    // Each opening of the dialog has its own secret, which no cache keeps.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const added = () => {
    refreshAfterAdding(queries);
    onClose();
  };
  return (
    <PageDialog title="Add an app for codes" onClose={onClose}>
      {begun.data === undefined ? (
        <Problem error={begun.error} again={begun.refetch} />
      ) : (
        <CompleteForm {...begun.data} onAdded={added} onCancel={onClose} />
      )}
    </PageDialog>
  );
};
