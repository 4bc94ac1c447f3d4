import { shown } from '@chairside/terminal';
import { say } from '../output/stdout.ts';

/** Reports an outage once, until the next event. */
export const reportOutage = () => {
  let isAway = false;
  return {
    onFailure({ message }: { message: string }): void {
      if (!isAway) say(`${shown(message)} Trying again until it works.`);
      isAway = true;
    },
    onEvent(): void {
      if (isAway) say('The service responds again.');
      isAway = false;
    },
  };
};
