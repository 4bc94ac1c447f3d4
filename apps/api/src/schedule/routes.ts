import type { App, Dependencies } from '../context.ts';
import { availabilityRoutes } from './availability.ts';
import { calendarBlockRoutes } from './calendar-blocks.ts';
import { openingHoursRoutes } from './opening-hours.ts';
import { procedureRoutes } from './procedures.ts';
import { providerRoutes } from './providers.ts';

/** The settings of a practice from which free slots follow. They contain no patient data. */
export const scheduleRoutes = (app: App, dependencies: Dependencies): void => {
  providerRoutes(app, dependencies);
  procedureRoutes(app, dependencies);
  calendarBlockRoutes(app, dependencies);
  openingHoursRoutes(app);
  availabilityRoutes(app);
};
