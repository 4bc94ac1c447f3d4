import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { CopyText } from './CopyText.tsx';
import { DialogButton } from './DialogButton.tsx';
import { leave, PageDialog } from './PageDialog.tsx';

/** A secret, if there is one, with a button that copies it, and the button that closes the dialog. */
export const Secret = ({
  label,
  text,
  onClose,
  children,
}: {
  label: string;
  text: string;
  onClose(): void;
  children: ReactNode;
}) => (
  <>
    <div className="quiet">{children}</div>
    {text !== '' && <CopyText label={label} text={text} />}
    <div className="buttons">
      <Button className="primary" onPress={() => leave(onClose)}>
        Done
      </Button>
    </div>
  </>
);

/** The steps of a dialog that creates a secret. */
type Steps<Made> = {
  title: string;
  /** The query key of the list that is read again afterwards. */
  list: string;
  /** The form. It passes the created object to `onMade`. */
  form(onMade: (made: Made) => void, onCancel: () => void): ReactNode;
  /** The second step: the secret and its purpose. */
  secret(made: Made): { title: string; label: string; text: string; explanation: ReactNode };
};

const SecretSteps = <Made,>({ title, list, form, secret, close }: Steps<Made> & { close(): void }) => {
  const queries = useQueryClient();
  const [shown, setShown] = useState<ReturnType<Steps<Made>['secret']>>();
  const finish = () => {
    close();
    void queries.invalidateQueries({ queryKey: [list] });
  };
  return (
    <PageDialog title={shown?.title ?? title} onClose={finish}>
      {shown === undefined ? (
        form((made) => setShown(secret(made)), close)
      ) : (
        <Secret label={shown.label} text={shown.text} onClose={finish}>
          {shown.explanation}
        </Secret>
      )}
    </PageDialog>
  );
};

/**
 * A button with a dialog whose form creates a secret. The dialog then shows the secret once. When the dialog closes,
 * the secret is removed from the page.
 *
 * @param props.of the name of the thing that the secret belongs to. It makes the accessible name of the button unique
 *   in a table
 */
export const SecretDialog = <Made,>({
  name,
  of,
  className,
  ...steps
}: Steps<Made> & { name: string; of?: string; className?: string }) => (
  <DialogButton name={name} of={of} className={className}>
    {(close) => <SecretSteps {...steps} close={close} />}
  </DialogButton>
);
