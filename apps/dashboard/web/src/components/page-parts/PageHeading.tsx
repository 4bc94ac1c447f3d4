import { Link, useLocation } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import './PageHeading.css';

/** Whether a page of this document has been shown before. */
let isFollowing = false;

/**
 * The heading of a page with the way back, a note and the actions of the page. The heading gets the focus when another
 * page opens, so that a screen reader announces the page. On the first page, the focus stays at the beginning of the
 * document, so that the first press of Tab reaches the link to the content.
 *
 * @param props.title the title of the browser's tab, if it must not be the heading
 * @param props.shown the heading with markup; `children` is then only the title
 */
export const PageHeading = ({
  children,
  title,
  shown,
  back,
  note,
  actions,
}: {
  children: string;
  title?: string;
  shown?: ReactNode;
  back?: { to: string; name: string };
  note?: ReactNode;
  actions?: ReactNode;
}) => {
  const { pathname } = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title ?? children} · Chairside`;
  }, [children, title]);
  // The effect does not run when only the heading changes. For example, saving another URL of a subscription must leave
  // the focus on its button.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another page
  useEffect(() => {
    if (isFollowing) heading.current?.focus();
    isFollowing = true;
  }, [pathname]);
  return (
    <div className="page-top">
      {back !== undefined && (
        <p className="crumb">
          <ChevronLeft aria-hidden="true" />
          <Link to={back.to}>{back.name}</Link>
        </p>
      )}
      <div className="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {shown ?? children}
          </h1>
          {note !== undefined && <div className="note-line">{note}</div>}
        </div>
        {actions !== undefined && <div className="buttons">{actions}</div>}
      </div>
    </div>
  );
};
