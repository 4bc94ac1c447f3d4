import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { afterPaint } from '../transitions/after-paint.ts';
import { useHandOver } from '../transitions/hand-over.ts';

/**
 * A button that opens a dialog. The dialog is mounted only while it is open, so its input is discarded when it closes.
 *
 * @param props.children returns the dialog. Its argument is the function that closes the dialog
 */
export const DialogButton = ({
  name,
  icon,
  className,
  isDisabled = false,
  preload,
  children,
}: {
  name: string;
  icon?: ReactNode;
  className?: string | undefined;
  isDisabled?: boolean;
  /** Loads the code of the dialog, when the pointer or the focus is on the button. */
  preload?: () => void;
  children(close: () => void): ReactNode;
}) => {
  const [isOpen, setOpen] = useState(false);
  // The function keeps its identity, so that an effect of the dialog can depend on it.
  const [close] = useState(() => () => setOpen(false));
  const open = () => afterPaint(() => setOpen(true));
  // The dialog "Find or do" presses the button from another page, as soon as it can be pressed.
  useHandOver(isDisabled ? undefined : name, open);
  return (
    <>
      <Button
        {...(className !== undefined && { className })}
        {...(preload !== undefined && { onHoverStart: preload, onFocus: preload })}
        isDisabled={isDisabled}
        onPress={open}
      >
        {icon}
        {name}
      </Button>
      {isOpen && children(close)}
    </>
  );
};
