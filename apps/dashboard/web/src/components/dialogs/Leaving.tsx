import { useBlocker } from '@tanstack/react-router';
import { endHandOver } from '../transitions/hand-over.ts';
import { Discard } from './PageDialog.tsx';

/** A place in the dashboard: its path and what its address says beyond that. */
type Place = { pathname: string; search: Readonly<Record<string, string | undefined>> };

/**
 * Asks before the operator leaves a form of a page whose content is not saved.
 *
 * @param props.isChanged whether there is such content
 * @param props.staysAt whether the form is also on another place
 */
export const Leaving = ({
  isChanged,
  staysAt,
}: {
  isChanged: boolean;
  staysAt(next: Place, current: Place): boolean;
}) => {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && !staysAt(next as Place, current as Place),
    enableBeforeUnload: isChanged,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  const keep = () => {
    endHandOver();
    blocker.reset();
  };
  return <Discard onKeep={keep} onDiscard={blocker.proceed} />;
};
