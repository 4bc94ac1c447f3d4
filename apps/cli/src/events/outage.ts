import { shown } from '@chairside/terminal';
import { say } from '../output/stdout.ts';

/** Reports an outage once. After the next event, a new outage is reported again. */
export const reportOutage = () => {
  let isAway = false;
  return {
    onFailure({ message }: { message: string }): void {
      if (!isAway) say(`${shown(message)} Retrying until the service responds.`);
      isAway = true;
    },
    onEvent(): void {
      if (isAway) say('The service responds again.');
      isAway = false;
    },
  };
};
