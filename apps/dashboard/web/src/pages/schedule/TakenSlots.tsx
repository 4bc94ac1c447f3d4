import type { CalendarBlock } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { dayAfter, dayOf } from '../../clinics/days.ts';
import { Problem } from '../../components/states/Problem.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { BookedList, bookedText } from './BookedPatients.tsx';
import { bookedQuery } from './booked.ts';
import { closingOfBlock } from './closing.ts';
import { takenQuery } from './requests.ts';

/** A block that is typed. `providerId` is null for the whole clinic. */
type Block = { clinicId: string; providerId: string | null; startTime: string; endTime: string };

/** The days of a search for free slots. */
const MAX_DAYS = 31;

/** How many of the present free slots a block takes, and who is booked in its time, before it is saved. */
export const TakenSlots = ({
  block,
  stored,
  timeZone,
}: {
  block: Block;
  stored: CalendarBlock | undefined;
  timeZone: string | undefined;
}) => {
  const [asked, setAsked] = useState<string>();
  const { clinicId, providerId, startTime, endTime } = block;
  const key = JSON.stringify([clinicId, providerId, startTime, endTime]);
  const isPeriod = startTime !== '' && startTime < endTime;
  const from = isPeriod ? dayOf(Date.parse(startTime), timeZone) : '';
  const to = isPeriod ? dayOf(Date.parse(endTime) - 1, timeZone) : '';
  const isShort = isPeriod && to < dayAfter(from, MAX_DAYS);
  const isAsked = isShort && asked === key;
  const taken = useQuery({
    ...takenQuery({ clinicId, providerId, startTime, endTime, from, to }),
    enabled: isAsked,
  });
  const closing = isAsked ? closingOfBlock(block, stored, { now: Date.now() }) : undefined;
  const booked = useQuery(bookedQuery(closing, [key]));
  const there = isAsked && booked.data?.appointments.length ? booked.data : undefined;
  return (
    <div className="taken">
      <Button
        className="compact"
        isDisabled={!isShort}
        isPending={taken.isFetching || booked.isFetching}
        onPress={() => setAsked(key)}
      >
        Preview slots
      </Button>
      <p role="status" className="small quiet">
        {isPeriod && !isShort && `A preview covers at most ${MAX_DAYS} days.`}
        {taken.data !== undefined &&
          isAsked &&
          `Takes ${countText(taken.data.taken)} of the ${countText(taken.data.free)} slots of 30 minutes that are free now on these days. Appointments stay.`}
        {there !== undefined && ` ${bookedText(there)} in this time:`}
      </p>
      {there !== undefined && <BookedList booked={there} clinicId={clinicId} />}
      <Problem error={isAsked ? (taken.error ?? booked.error) : null} />
    </div>
  );
};
