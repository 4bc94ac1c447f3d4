import './Brand.css';

/** The sign and the name of the product. */
export const Brand = () => (
  <p className="brand">
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <rect className="ground" width="24" height="24" rx="6.5" />
      <path className="mark" d="M16.2 7.6A6 6 0 1 0 16.2 16.4" />
      <circle className="dot" cx="16.4" cy="12" r="1.9" />
    </svg>
    Chairside
  </p>
);
