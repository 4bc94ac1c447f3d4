import type { ApiKey } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api } from '../api/client.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { Field } from '../components/Field.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';

/** Deletes a key after its name was typed. Programs that use the key are refused within a second. */
export const DeleteKey = ({ apiKey: { _id, name } }: { apiKey: ApiKey }) => {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const request = useMutation({
    mutationFn: () => withPrompts(() => api.apiKeys.delete(_id)),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['keys'] });
      setOpen(false);
    },
  });
  const open = () => {
    setTyped('');
    setOpen(true);
  };
  return (
    <>
      <Button className="danger" aria-label={`Delete ${name}`} onPress={open}>
        Delete
      </Button>
      <PageDialog title={`Delete ${name}?`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <ActionForm request={request} isReady={typed === name}>
          <p>Programs that use this key are refused within a second. This cannot be undone.</p>
          <Problem error={request.error} />
          <Field label={`Type ${name} to confirm`} autoFocus value={typed} onChange={setTyped} />
          <DialogButtons
            danger
            submit="Delete"
            isPending={request.isPending}
            isDisabled={typed !== name}
            onCancel={() => setOpen(false)}
          />
        </ActionForm>
      </PageDialog>
    </>
  );
};
