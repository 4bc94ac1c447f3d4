import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DAY, LANGUAGE, MINUTE, SECOND } from './language.ts';

const FOLDER = new URL('.', import.meta.url);
/** What is no text for people: a date as the api has it, and the zone of the browser. */
const DATA = ["clinics/days.ts 'en-CA'", 'redeliveries/RedeliverDialog.tsx '];

test('days have their weekdays, and times 24 hours', () => {
  const time = Date.UTC(2030, 0, 31, 0, 5, 9);
  const texts = [DAY, MINUTE, SECOND].map((options) =>
    new Intl.DateTimeFormat(LANGUAGE, { ...options, timeZone: 'UTC' }).format(time),
  );
  expect(texts).toEqual(['Thu, 31 Jan 2030', 'Thu, 31 Jan 2030, 00:05', 'Thu, 31 Jan 2030, 00:05:09']);
});

test('every format names the language of the pages', () => {
  const others = globSync('**/*.{ts,tsx}', { cwd: FOLDER, exclude: ['**/*.test.ts'] }).flatMap((file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    const made = [...text.matchAll(/\bIntl\.\w+\(\s*([^,)\s]*)/g)].map(([, language]) => language);
    const own = [...text.matchAll(/\.toLocale\w*\(/g)].map(([call]) => call);
    return [...made.filter((language) => language !== 'LANGUAGE'), ...own].map((each) => `${file} ${each}`);
  });
  expect(others.sort()).toEqual(DATA);
});
