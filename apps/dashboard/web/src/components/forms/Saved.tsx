import { useOffer } from '../undo/undo.ts';

/** Says that a form is saved. If the change can be undone, only the message with Undo is announced. */
export const Saved = () => {
  const isAnnounced = useOffer() !== undefined;
  return <p {...(!isAnnounced && { role: 'status' })}>Saved</p>;
};
