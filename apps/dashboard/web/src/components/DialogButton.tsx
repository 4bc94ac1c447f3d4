import { type ReactNode, startTransition, useState } from 'react';
import { Button } from 'react-aria-components';

/**
 * A button that opens a dialog. The dialog is mounted only while it is open: what was typed leaves the page with it.
 *
 * @param props.of what the action is about: the accessible name of the button is unique in a table
 * @param props.children the dialog, which closes itself with its argument
 */
export const DialogButton = ({
  name,
  of,
  className,
  children,
}: {
  name: string;
  of?: string | undefined;
  className?: string | undefined;
  children(close: () => void): ReactNode;
}) => {
  const [isOpen, setOpen] = useState(false);
  // One identity, so that an effect of the dialog can depend on it.
  const [close] = useState(() => () => setOpen(false));
  return (
    <>
      <Button
        {...(className !== undefined && { className })}
        {...(of !== undefined && { 'aria-label': `${name} ${of}` })}
        // The button shows at once that it was pressed. The dialog may take longer.
        onPress={() => startTransition(() => setOpen(true))}
      >
        {name}
      </Button>
      {isOpen && children(close)}
    </>
  );
};
