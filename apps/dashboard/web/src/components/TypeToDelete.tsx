import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';
import { ActionForm } from './ActionForm.tsx';
import { DialogButton } from './DialogButton.tsx';
import { Field } from './Field.tsx';
import { DialogButtons, PageDialog } from './PageDialog.tsx';

type Deletion = {
  name: string;
  act(): PromiseLike<unknown>;
  onDone(): Promise<unknown>;
  /** What the deletion ends. */
  children: ReactNode;
};

const DeleteForm = ({ name, act, onDone, children, onClose }: Deletion & { onClose(): void }) => {
  const [typed, setTyped] = useState('');
  const request = useMutation({
    mutationFn: () => withPrompts(act).then(() => undefined),
    async onSuccess() {
      // First the list: the focus must not return to a button that is about to go.
      await onDone();
      onClose();
    },
  });
  return (
    <ActionForm request={request} isReady={typed === name}>
      {children}
      <Problem error={request.error} />
      <Field
        label={`Type ${name} to confirm`}
        autoComplete="off"
        autoFocus
        value={typed}
        onChange={setTyped}
      />
      <DialogButtons
        danger
        submit="Delete"
        isPending={request.isPending}
        isDisabled={typed !== name}
        onCancel={onClose}
      />
    </ActionForm>
  );
};

/** A button that deletes what bears the name, after the name was typed. */
export const TypeToDelete = (deletion: Deletion) => (
  <DialogButton className="danger" name="Delete" of={deletion.name}>
    {(close) => (
      <PageDialog title={`Delete ${deletion.name}?`} onClose={close}>
        <DeleteForm {...deletion} onClose={close} />
      </PageDialog>
    )}
  </DialogButton>
);
