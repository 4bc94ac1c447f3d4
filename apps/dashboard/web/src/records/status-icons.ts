import type { Appointment } from '@chairside/client';
import {
  CalendarCheck,
  CalendarX,
  CircleDashed,
  type LucideIcon,
  UserRoundCheck,
  UserRoundX,
} from 'lucide-react';

/** The icons of the statuses of appointments. */
export const STATUS_ICONS: Readonly<Record<Appointment['status'], LucideIcon>> = {
  REQUESTED: CircleDashed,
  SCHEDULED: CalendarCheck,
  PATIENT_ARRIVED: UserRoundCheck,
  NO_SHOW: UserRoundX,
  CANCELED: CalendarX,
};
