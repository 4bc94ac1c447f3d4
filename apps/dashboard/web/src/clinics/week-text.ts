import type { OpeningHours } from '@chairside/client';

const DAYS: Readonly<Record<keyof OpeningHours['weekdays'], string>> = {
  monday: 'Mon',
  tuesday: 'Tue',
  wednesday: 'Wed',
  thursday: 'Thu',
  friday: 'Fri',
  saturday: 'Sat',
  sunday: 'Sun',
};

type Days = { first: string; last: string; hours: string };

/** The hours of a week in one sentence, such as `Mon to Fri 08:00–17:00`. Days that follow each other are one part. */
export const weekText = (weekdays: OpeningHours['weekdays']): string => {
  const parts: Days[] = [];
  let before = '';
  for (const day of Object.keys(DAYS) as (keyof typeof DAYS)[]) {
    const hours = weekdays[day].map(({ opens, closes }) => `${opens}–${closes}`).join(' and ');
    const last = parts.at(-1);
    if (hours !== '' && hours === before && last !== undefined) last.last = DAYS[day];
    else if (hours !== '') parts.push({ first: DAYS[day], last: DAYS[day], hours });
    before = hours;
  }
  if (parts.length === 0) return 'Closed on all days of the week';
  return parts
    .map(({ first, last, hours }) => `${first === last ? first : `${first} to ${last}`} ${hours}`)
    .join(', ');
};
