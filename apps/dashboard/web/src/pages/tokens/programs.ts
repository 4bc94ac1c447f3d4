import { visibleText } from '../../components/texts/visible-text.ts';

/** The marks of browsers and systems in the header User-Agent. Later browsers also carry the marks of earlier ones. */
const BROWSERS: readonly [mark: RegExp, name: string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [mark: RegExp, name: string][] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (text: string, names: readonly [RegExp, string][]): string | undefined =>
  names.find(([mark]) => mark.test(text))?.[1];

/** The program of a session in words, such as `Firefox on Windows`. Other programs name themselves. */
export const programText = (userAgent: string | undefined): string => {
  if (userAgent === undefined) return 'Unknown program';
  const isBrowser = userAgent.startsWith('Mozilla/');
  const [browser, system] = [nameIn(userAgent, BROWSERS), nameIn(userAgent, SYSTEMS)];
  return isBrowser && browser !== undefined && system !== undefined
    ? `${browser} on ${system}`
    : visibleText(userAgent);
};
