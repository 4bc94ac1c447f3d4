import { type ReactNode, useRef } from 'react';
import { Button } from 'react-aria-components';

/**
 * A button that sends its request only once, even if it is pressed twice before it shows that the request is pending.
 */
export const ActionButton = ({
  request: { isPending, mutateAsync },
  className,
  children,
}: {
  request: { isPending: boolean; mutateAsync(): Promise<unknown> };
  className?: string;
  children: ReactNode;
}) => {
  const isSending = useRef(false);
  const send = async (): Promise<void> => {
    if (isSending.current) return;
    isSending.current = true;
    // The request keeps its error, and the page shows it.
    await mutateAsync().catch(() => {});
    isSending.current = false;
  };
  return (
    <Button {...(className !== undefined && { className })} isPending={isPending} onPress={() => void send()}>
      {children}
    </Button>
  );
};
