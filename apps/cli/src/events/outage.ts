import { shown } from '@chairside/terminal';
import { requestLine } from '../failure.ts';
import { say } from '../output/stdout.ts';

/** Reports an outage once, and its end at the next event. */
export const reportOutage = () => {
  let isUnavailable = false;
  return {
    onFailure({ message, requestId }: { message: string; requestId: string | undefined }): void {
      const lines = [`${shown(message)} Retrying until the service responds.`, requestLine(requestId) ?? []];
      if (!isUnavailable) say(lines.flat().join('\n'));
      isUnavailable = true;
    },
    onEvent(): void {
      if (isUnavailable) say('The service responds again.');
      isUnavailable = false;
    },
  };
};
