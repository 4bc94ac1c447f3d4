import { type ReactNode, startTransition, useState } from 'react';
import { Button } from 'react-aria-components';

/**
 * A button that opens a dialog. The dialog is mounted only while it is open, so its input is discarded when it closes.
 *
 * @param props.of the name of the thing that the action is about. It makes the accessible name of the button unique in
 *   a table
 * @param props.children returns the dialog. Its argument is the function that closes the dialog
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
  // The function keeps its identity, so that an effect of the dialog can depend on it.
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
