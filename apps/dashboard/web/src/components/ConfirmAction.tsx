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
      // The list is updated before the dialog closes, because the focus must not return to a button that is about to
      // disappear.
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
 * A button that opens a dialog, which explains the action and starts it. A refusal is shown in the dialog.
 *
 * @param props.of the name of the thing that the action is about. It makes the accessible name of the button unique in
 *   a table
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
