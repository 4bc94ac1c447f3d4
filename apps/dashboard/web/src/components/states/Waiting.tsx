import { useQueryClient } from '@tanstack/react-query';
import { Hourglass } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import './Waiting.css';

/** After this time, a page says that it still waits. */
const SLOW_MS = 5000;
/** After this time, a page offers to send its requests again. */
const LATE_MS = 15_000;

/** Whether a wait is new, slow or late. @param round a new round begins a new wait */
const useWait = (round: number): 'new' | 'slow' | 'late' => {
  const [state, setState] = useState<'new' | 'slow' | 'late'>('new');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round is another wait
  useEffect(() => {
    setState('new');
    const timers = [setTimeout(setState, SLOW_MS, 'slow'), setTimeout(setState, LATE_MS, 'late')];
    return () => timers.forEach(clearTimeout);
  }, [round]);
  return state;
};

/**
 * Grey bars in the shape of what comes. After five seconds a sentence says that the service has not responded yet, and
 * after fifteen there is a button that sends the requests of the page again.
 *
 * @param props.of the thing that is loaded, such as `deliveries`
 * @param props.onRetry sends the requests again; without it, those of all queries of the page
 */
export const Waiting = ({
  of,
  onRetry,
  children,
}: {
  of: string;
  onRetry?: () => void;
  children?: ReactNode;
}) => {
  const queries = useQueryClient();
  const [round, setRound] = useState(0);
  const state = useWait(round);
  const again = async () => {
    setRound(round + 1);
    if (onRetry !== undefined) return onRetry();
    await queries.cancelQueries({ type: 'active' });
    await queries.refetchQueries({ type: 'active' });
  };
  return (
    <div className="waiting">
      <p role="status" className="hidden">
        Loading {of}…
      </p>
      {children ?? <Bars />}
      {state !== 'new' && (
        <div className="late" role="status">
          <Hourglass aria-hidden="true" />
          <p className="strong">Still waiting for the service</p>
          <p className="quiet small">
            {state === 'slow'
              ? 'It has not responded for 5 seconds. The page continues by itself.'
              : 'It has not responded for 15 seconds. Nothing of yours is lost. Send the request again, or open another page.'}
          </p>
          {state === 'late' && <Button onPress={() => void again()}>Try again</Button>}
        </div>
      )}
    </div>
  );
};

const Bars = () => (
  <div className="bones lines" aria-hidden="true">
    <span className="bone long" />
    <span className="bone middle" />
    <span className="bone long" />
  </div>
);
