import { tip } from './tip.ts';
import { visibleText } from './visible-text.ts';
import './Receiver.css';

type Parts = { host: string; path: string };

/** The host and the rest of a URL. An unreadable URL is all host. */
export const partsOf = (url: string): Parts => {
  if (!URL.canParse(url)) return { host: url, path: '' };
  const { host, pathname, search, hash } = new URL(url);
  return { host, path: pathname === '/' && search === '' ? '' : pathname + search + hash };
};

/** The server behind a URL: the host first, because it tells receivers apart, then the path. */
export const Receiver = ({ url }: { url: string }) => {
  const { host, path } = partsOf(url);
  return (
    <span className="receiver" {...tip(url)}>
      <b>{visibleText(host)}</b>
      {visibleText(path)}
    </span>
  );
};
