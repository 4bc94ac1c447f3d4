import { LANGUAGE } from '../../language.ts';

const count = new Intl.NumberFormat(LANGUAGE);
const percent = new Intl.NumberFormat(LANGUAGE, { style: 'percent', maximumFractionDigits: 1 });
const fine = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 1 });
const tenths = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A number of things, such as `1,657`. */
export const countText = (value: number): string => count.format(value);

/** What is shown instead of a figure that nothing was measured for. */
export const NO_FIGURE = '–';

const plural = new Intl.PluralRules(LANGUAGE);

/** The form of a noun after a number, such as `subscription` after 1. */
export const nounAfter = (value: number, noun: string): string =>
  plural.select(value) === 'one' ? noun : `${noun}s`;

/** A share between 0 and 1, such as `93.9%`. */
export const shareText = (value: number): string => percent.format(value);

/** A duration, such as `84 ms` or `5.0 s`. @param value in milliseconds */
export const durationText = (value: number): string => {
  if (value < 10) return `${fine.format(value)} ms`;
  if (value < 1000) return `${count.format(Math.round(value))} ms`;
  return value < 60_000
    ? `${tenths.format(value / 1000)} s`
    : `${count.format(Math.round(value / 60_000))} min`;
};

const minutes = new Intl.NumberFormat(LANGUAGE, { style: 'unit', unit: 'minute', unitDisplay: 'long' });

/** A number of minutes, such as `90 minutes`. */
export const minutesText = (value: number): string => minutes.format(value);

/** An amount of money; the number and the code if the browser does not know the currency. */
export const moneyText = (value: number, currency: unknown): string => {
  try {
    return new Intl.NumberFormat(LANGUAGE, { style: 'currency', currency: String(currency) }).format(value);
  } catch {
    return `${count.format(value)} ${String(currency ?? '')}`.trim();
  }
};
