import './Live.css';

/** Says that a page follows what happens. */
export const Live = () => <span className="live">Live</span>;
