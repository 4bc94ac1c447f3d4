import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { withPrompts } from '../../session/prompts.ts';
import { ActionForm } from '../forms/ActionForm.tsx';
import { Field } from '../forms/Field.tsx';
import { DialogButton } from './DialogButton.tsx';
import { DialogButtons, PageDialog } from './PageDialog.tsx';

type Question = {
  title: string;
  /** The words on the button that acts. */
  submit: string;
  /** The words on the button that does nothing. */
  cancel?: string;
  danger?: boolean;
  /** The text to type before the action can begin. */
  typeFirst?: string;
  act(): PromiseLike<unknown>;
  onDone(): Promise<unknown>;
  /** The consequences. */
  children: ReactNode;
};

const AskForm = ({
  submit,
  cancel,
  danger = false,
  typeFirst = '',
  act,
  onDone,
  children,
  onClose,
}: Question & { onClose(): void }) => {
  const [typed, setTyped] = useState('');
  const isReady = typed === typeFirst;
  const request = useMutation({
    mutationFn: () => withPrompts(act).then(() => undefined),
    async onSuccess() {
      // The list is updated before the dialog closes, because the focus must not return to a button that is about to
      // disappear.
      await onDone();
      onClose();
    },
  });
  return (
    <ActionForm request={request} isReady={isReady}>
      {children}
      {typeFirst !== '' && (
        <Field
          label={`Type ${typeFirst} to confirm`}
          autoComplete="off"
          description="The button is enabled when the text is the same."
          value={typed}
          onChange={setTyped}
        />
      )}
      <DialogButtons
        danger={danger}
        submit={submit}
        {...(cancel !== undefined && { cancel })}
        isDisabled={!isReady}
        onCancel={onClose}
      />
    </ActionForm>
  );
};

/** A dialog that explains an action and starts it. A refusal is shown in the dialog. */
export const ConfirmDialog = ({ onClose, ...question }: Question & { onClose(): void }) => (
  <PageDialog title={question.title} onClose={onClose}>
    <AskForm {...question} onClose={onClose} />
  </PageDialog>
);

/** A button that opens such a dialog. */
export const ConfirmAction = ({
  name,
  className,
  ...question
}: Question & { name: string; className?: string }) => (
  <DialogButton name={name} className={className}>
    {(close) => <ConfirmDialog {...question} onClose={close} />}
  </DialogButton>
);
