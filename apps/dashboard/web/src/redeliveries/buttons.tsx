import { RotateCw } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { DialogButton } from '../components/dialogs/DialogButton.tsx';

// The code of the dialogs is loaded when it is needed for the first time.
const load = () => import('./RedeliverDialog.tsx');
const preload = (): void => {
  // A failure is shown when the dialog is opened.
  load().catch(() => {});
};
const LazyRedeliverDialog = lazy(() => load().then((module) => ({ default: module.RedeliverDialog })));
const RecoverDialog = lazy(() => load().then((module) => ({ default: module.RecoverDialog })));

/** The dialog that redelivers a time range of a subscription. @param props.onStarted shows the progress */
export const RedeliverDialog = (props: { subscriptionId: string; onStarted(): void; onClose(): void }) => (
  <Suspense>
    <LazyRedeliverDialog {...props} />
  </Suspense>
);

/** Redelivers a time range of a subscription. @param props.onStarted shows the progress */
export const Redeliver = (props: { subscriptionId: string; onStarted(): void }) => (
  <DialogButton name="Redeliver…" icon={<RotateCw aria-hidden="true" />} preload={preload}>
    {(close) => <RedeliverDialog {...props} onClose={close} />}
  </DialogButton>
);

/** Redelivers a time range of all subscriptions. */
export const Recover = () => (
  <DialogButton name="Recover…" icon={<RotateCw aria-hidden="true" />} preload={preload}>
    {(close) => (
      <Suspense>
        <RecoverDialog onClose={close} />
      </Suspense>
    )}
  </DialogButton>
);
