import { shown } from '@chairside/terminal';
import { say } from '../output/stdout.ts';

/** Reports an outage once, and its end at the next event. */
export const reportOutage = () => {
  let isUnavailable = false;
  return {
    onFailure({ message }: { message: string }): void {
      if (!isUnavailable) say(`${shown(message)} Retrying until the service responds.`);
      isUnavailable = true;
    },
    onEvent(): void {
      if (isUnavailable) say('The service responds again.');
      isUnavailable = false;
    },
  };
};
