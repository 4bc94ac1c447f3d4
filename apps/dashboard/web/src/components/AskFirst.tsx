import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';
import { DialogButtons, PageDialog } from './PageDialog.tsx';

/** A button whose action begins after a dialog has said what it does. A refusal is shown in the dialog. */
export const AskFirst = ({
  name,
  of,
  title,
  submit = name,
  danger = false,
  act,
  onDone,
  children,
}: {
  /** The words on the button. */
  name: string;
  /** What the action is about: its accessible name is unique in a table. */
  of: string;
  title: string;
  /** The words on the button of the dialog. */
  submit?: string;
  danger?: boolean;
  act(): PromiseLike<unknown>;
  onDone(): Promise<unknown>;
  children: ReactNode;
}) => {
  const [isOpen, setOpen] = useState(false);
  const request = useMutation({
    mutationFn: () => withPrompts(act).then(() => undefined),
    async onSuccess() {
      setOpen(false);
      await onDone();
    },
  });
  const open = () => {
    request.reset();
    setOpen(true);
  };
  return (
    <>
      <Button {...(danger && { className: 'danger' })} aria-label={`${name} ${of}`} onPress={open}>
        {name}
      </Button>
      <PageDialog title={title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            request.mutate();
          }}
        >
          {children}
          <Problem error={request.error} />
          <DialogButtons
            danger={danger}
            submit={submit}
            isPending={request.isPending}
            onCancel={() => setOpen(false)}
          />
        </Form>
      </PageDialog>
    </>
  );
};
