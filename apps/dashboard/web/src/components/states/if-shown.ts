import { useEffect, useRef } from 'react';

/**
 * Returns a function that acts only while this part of the page is shown. A response may arrive after the person has gone
 * on, and must not lead them away from what they do now.
 */
export const useIfShown = (): (<T>(act: () => T) => T | undefined) => {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return (act) => (isShown.current ? act() : undefined);
};
