import { useQueryClient } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { Check } from './Check.tsx';
import { CopyText } from './CopyText.tsx';
import { DialogButton } from './DialogButton.tsx';
import { leave, PageDialog } from './PageDialog.tsx';
import './Secret.css';

/** A secret that was created and that nobody can show again. */
export type Shown = {
  title: string;
  /** The name of the secret: `Secret`, `Access token`, … */
  label: string;
  text: string;
  explanation: ReactNode;
  /** Code or advice that helps to use the secret. */
  help?: ReactNode;
};

/** A secret that can be shown again, with a button that copies it, and the button that closes the dialog. */
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
    <CopyText label={label} text={text} />
    <div className="buttons dialog-buttons">
      <Button onPress={() => leave(onClose)}>Done</Button>
    </div>
  </>
);

/**
 * A secret that is shown once. Only "Done" closes the dialog, after the secret was copied or the operator has ticked
 * that it is kept. Escape and a press outside explain this.
 */
const OneTimeSecret = ({ shown, onClose }: { shown: Shown; onClose(): void }) => {
  const { title, label, text, explanation, help } = shown;
  const [isKept, setKept] = useState(text === '');
  const [isWarned, setWarned] = useState(false);
  return (
    <PageDialog
      title={title}
      onClose={onClose}
      onEscape={() => (text === '' ? leave(onClose) : setWarned(true))}
    >
      <div className="quiet">{explanation}</div>
      {text !== '' && <CopyText label={label} text={text} onCopied={() => setKept(true)} />}
      {help}
      {text !== '' && (
        <Check isChecked={isKept} onChange={setKept}>
          I have kept it in a safe place
        </Check>
      )}
      <div className="dialog-buttons secret-end">
        <p role={isWarned ? 'alert' : undefined} className={isWarned ? 'small warned' : 'small quiet'}>
          {!isKept && (
            <>
              <Info aria-hidden="true" />
              {isWarned ? 'This does not close the dialog. ' : ''}Copy it, or tick that you have kept it.
            </>
          )}
        </p>
        <Button className="primary" isDisabled={!isKept} onPress={() => leave(onClose)}>
          Done
        </Button>
      </div>
    </PageDialog>
  );
};

/** The steps of a dialog that creates a secret. */
type Steps<Made> = {
  title: string;
  /** The query key of the list that is read again afterwards. */
  list: string;
  /** The form. It passes the created object to `onMade`. */
  form(onMade: (made: Made) => void, onCancel: () => void): ReactNode;
  /** The second step: the secret and its purpose. */
  secret(made: Made): Shown;
};

/** The dialog of a form that creates a secret, followed by the dialog that shows it. */
export const SecretSteps = <Made,>({ title, list, form, secret, close }: Steps<Made> & { close(): void }) => {
  const queries = useQueryClient();
  const [shown, setShown] = useState<Shown>();
  const finish = () => {
    close();
    void queries.invalidateQueries({ queryKey: [list] });
  };
  if (shown !== undefined) return <OneTimeSecret shown={shown} onClose={finish} />;
  return (
    <PageDialog title={title} onClose={close}>
      {form((made) => setShown(secret(made)), close)}
    </PageDialog>
  );
};

/**
 * A button with a dialog whose form creates a secret. The dialog then shows the secret once. When the dialog closes,
 * the secret is removed from the page.
 */
export const SecretDialog = <Made,>({
  name,
  className,
  ...steps
}: Steps<Made> & { name: string; className?: string }) => (
  <DialogButton name={name} className={className}>
    {(close) => <SecretSteps {...steps} close={close} />}
  </DialogButton>
);
