import { type Day, dayAfter, isDay } from '../../clinics/days.ts';

/** Maximum number of days in one range: a typing error in the year is refused. */
const MAX_DAYS = 366;

export type Dates = {
  /** The days of all usable lines, each once, in the order of the calendar. */
  days: Day[];
  /** What is wrong with the other lines. */
  bad: string[];
};

const daysBetween = (from: Day, to: Day): Day[] => {
  const days: Day[] = [];
  for (let day = from; day <= to && days.length <= MAX_DAYS; day = dayAfter(day, 1)) days.push(day);
  return days;
};

const readLine = (line: string): Day[] | string => {
  const [from = '', to = from, ...rest] = line.split(/\s*\.\.\s*/);
  const wrong = [from, to].find((each) => !isDay(each));
  if (rest.length > 0) return 'write a range as 2027-07-01..2027-07-14';
  if (wrong !== undefined) return `“${wrong}” is not a date such as 2027-12-24`;
  const days = daysBetween(from, to);
  if (days.length === 0) return 'the range ends before it begins';
  return days.length > MAX_DAYS ? `the range has more than ${MAX_DAYS} days` : days;
};

/** Reads dates: one on each line, or a range such as `2027-07-01..2027-07-14`. */
export const readDates = (text: string): Dates => {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const days = new Set<Day>();
  const bad: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const found = readLine(line);
    if (typeof found === 'string') bad.push(`Line ${index + 1}: ${found}.`);
    else for (const day of found) days.add(day);
  }
  return { days: [...days].sort(), bad };
};
