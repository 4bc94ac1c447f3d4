import './Brand.css';

/** The name of the product. */
export const Brand = () => <p className="brand">Chairside</p>;
