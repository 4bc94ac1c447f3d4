import { CalendarDays } from 'lucide-react';
import { useState } from 'react';
import type { Day } from '../../clinics/days.ts';
import { DialogButton } from '../../components/dialogs/DialogButton.tsx';
import { DialogButtons, leave, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { Field } from '../../components/forms/Field.tsx';
import { FIRST_DAY, LAST_DAY, readDay } from './read-day.ts';

const DateDialog = ({ day, onDay, onClose }: { day: Day; onDay(day: Day): void; onClose(): void }) => {
  const [text, setText] = useState<string>(day);
  return (
    <PageDialog title="Go to date" onClose={onClose} isDismissable>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const chosen = readDay(text);
          if (chosen === undefined) return;
          onDay(chosen);
          leave(onClose);
        }}
      >
        <Field
          label="Day"
          type="date"
          min={FIRST_DAY}
          max={LAST_DAY}
          isRequired
          value={text}
          onChange={setText}
        />
        <DialogButtons submit="Show" onCancel={onClose} />
      </form>
    </PageDialog>
  );
};

/** A button that leads to any day. Each day that is shown leaves an audit entry, so a typed day is shown when it is sent. */
export const GoToDate = ({ day, onDay }: { day: Day; onDay(day: Day): void }) => (
  <DialogButton name="Go to date" icon={<CalendarDays aria-hidden="true" />}>
    {(close) => <DateDialog day={day} onDay={onDay} onClose={close} />}
  </DialogButton>
);
