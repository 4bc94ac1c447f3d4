import type { ReactNode } from 'react';
import { ConfirmAction } from './ConfirmAction.tsx';

/** A button that deletes something after the operator has typed its name. */
export const TypeToDelete = ({
  name,
  ...deletion
}: {
  name: string;
  act(): PromiseLike<unknown>;
  onDone(): Promise<unknown>;
  /** The consequences of the deletion. */
  children: ReactNode;
}) => (
  <ConfirmAction {...deletion} danger name="Delete" of={name} title={`Delete ${name}?`} typeFirst={name} />
);
