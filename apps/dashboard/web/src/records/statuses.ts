import type { Appointment } from '@chairside/client';
import type { Tone } from '../components/texts/Chip.tsx';

/** A state in words, and how much attention it needs. */
export type Word = { text: string; tone: Tone };

export const APPOINTMENT_STATUSES: Readonly<Record<Appointment['status'], Word>> = {
  REQUESTED: { text: 'Requested', tone: 'info' },
  SCHEDULED: { text: 'Scheduled', tone: 'plain' },
  PATIENT_ARRIVED: { text: 'Arrived', tone: 'good' },
  NO_SHOW: { text: 'No-show', tone: 'warning' },
  CANCELED: { text: 'Canceled', tone: 'idle' },
};
