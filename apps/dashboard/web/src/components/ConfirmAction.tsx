import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { withPrompts } from '../session/prompts.ts';
import { ActionForm } from './ActionForm.tsx';
import { DialogButton } from './DialogButton.tsx';
import { Field } from './Field.tsx';
import { DialogButtons, PageDialog } from './PageDialog.tsx';
import { Problem } from './Problem.tsx';

type Question = {
  /** The words on the button. */
  name: string;
  /** The words on the button of the dialog. */
  submit?: string;
  danger?: boolean;
  /** The text to type before the action can begin. */
  typeFirst?: string;
  act(): PromiseLike<unknown>;
  onDone(): Promise<unknown>;
  children: ReactNode;
};

const AskForm = ({
  name,
  submit = name,
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
      // First the list: the focus must not return to a button that is about to go.
      await onDone();
      onClose();
    },
  });
  return (
    <ActionForm request={request} isReady={isReady}>
      {children}
      <Problem error={request.error} />
      {typeFirst !== '' && (
        <Field
          label={`Type ${typeFirst} to confirm`}
          autoComplete="off"
          autoFocus
          value={typed}
          onChange={setTyped}
        />
      )}
      <DialogButtons
        danger={danger}
        submit={submit}
        isPending={request.isPending}
        isDisabled={!isReady}
        onCancel={onClose}
      />
    </ActionForm>
  );
};

/**
 * A button whose action begins after a dialog has said what it does. A refusal is shown in the dialog.
 *
 * @param props.of what the action is about: the accessible name of the button is unique in a table
 */
export const ConfirmAction = ({ of, title, ...question }: Question & { of?: string; title: string }) => (
  <DialogButton name={question.name} of={of} className={question.danger ? 'danger' : undefined}>
    {(close) => (
      <PageDialog title={title} onClose={close}>
        <AskForm {...question} onClose={close} />
      </PageDialog>
    )}
  </DialogButton>
);
