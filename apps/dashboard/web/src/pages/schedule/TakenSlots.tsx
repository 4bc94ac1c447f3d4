import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { dayAfter, dayOf } from '../../clinics/days.ts';
import { Problem } from '../../components/states/Problem.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { takenQuery } from './requests.ts';

/** A block that is typed. `providerId` is null for the whole clinic. */
type Block = { clinicId: string; providerId: string | null; startTime: string; endTime: string };

/** The days of a search for free slots. */
const MAX_DAYS = 31;

/** How many of the present free slots a block takes, before it is saved. */
export const TakenSlots = ({ timeZone, ...block }: Block & { timeZone: string | undefined }) => {
  const [asked, setAsked] = useState<string>();
  const { clinicId, providerId, startTime, endTime } = block;
  const key = JSON.stringify([clinicId, providerId, startTime, endTime]);
  const isPeriod = startTime !== '' && startTime < endTime;
  const from = isPeriod ? dayOf(Date.parse(startTime), timeZone) : '';
  const to = isPeriod ? dayOf(Date.parse(endTime) - 1, timeZone) : '';
  const isShort = isPeriod && to < dayAfter(from, MAX_DAYS);
  const { data, error, isFetching } = useQuery({
    ...takenQuery({ clinicId, providerId, startTime, endTime, from, to }),
    enabled: isShort && asked === key,
  });
  return (
    <div className="taken">
      <Button className="compact" isDisabled={!isShort} isPending={isFetching} onPress={() => setAsked(key)}>
        Preview slots
      </Button>
      <p role="status" className="small quiet">
        {isPeriod && !isShort && `A preview covers at most ${MAX_DAYS} days.`}
        {data !== undefined &&
          asked === key &&
          `Takes ${countText(data.taken)} of the ${countText(data.free)} slots of 30 minutes that are free now on these days. Appointments stay.`}
      </p>
      <Problem error={asked === key ? error : null} />
    </div>
  );
};
