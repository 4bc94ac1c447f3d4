import { useState } from 'react';
import { ID_HINT, isId } from './id.ts';
import { Search } from './Search.tsx';

/**
 * A field for the id of a record. An empty field removes the filter.
 *
 * @param props.value the id in the address. If the component also has this value as its `key`, the field follows the
 *   address
 */
export const IdFilter = ({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange(value: string | undefined): void;
}) => {
  const [id, setId] = useState(value ?? '');
  const [isRefused, setRefused] = useState(false);
  const apply = () => {
    const entered = id.trim();
    const isUsable = entered === '' || isId(entered);
    setRefused(!isUsable);
    if (isUsable) onChange(entered === '' ? undefined : entered);
  };
  return (
    <>
      <Search label={label} value={id} onChange={setId} onSubmit={apply} />
      {isRefused && (
        <p role="alert" className="refused">
          {ID_HINT}
        </p>
      )}
    </>
  );
};
