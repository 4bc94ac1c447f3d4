import type { OpeningHours } from '@chairside/client';
import { shortDayName, WEEKDAYS } from './hours.ts';

type Days = { first: string; last: string; hours: string };

/** The hours of a week in one sentence, such as `Mon to Fri 08:00–17:00`. Days that follow each other are one part. */
export const weekText = (weekdays: OpeningHours['weekdays']): string => {
  const parts: Days[] = [];
  let before = '';
  for (const day of WEEKDAYS) {
    const hours = weekdays[day].map(({ opens, closes }) => `${opens}–${closes}`).join(' and ');
    const last = parts.at(-1);
    if (hours !== '' && hours === before && last !== undefined) last.last = shortDayName(day);
    else if (hours !== '') parts.push({ first: shortDayName(day), last: shortDayName(day), hours });
    before = hours;
  }
  if (parts.length === 0) return 'Closed on all days of the week';
  return parts
    .map(({ first, last, hours }) => `${first === last ? first : `${first} to ${last}`} ${hours}`)
    .join(', ');
};
