import { type Appointment, type Chairside, ChairsideError } from '@chairside/client';

/** Books the first free slot of a day. Returns undefined if there is none. */
export async function bookFirst(chairside: Chairside, clinicId: string, day: string) {
  const search = { clinicId, from: day, to: day, durationMinutes: 30 };
  let [slot] = (await chairside.findAvailability(search)).slots;
  let booked: Appointment | undefined;
  while (slot?.start.startsWith(day) && booked === undefined) {
    const times = { startTime: slot.start, endTime: slot.end };
    try {
      booked = await chairside.appointments.create({ clinicId, ...times }, { onlyIfFree: true });
    } catch (error) {
      if (!(error instanceof ChairsideError) || error.details.nextSlots === undefined) throw error;
      // Somebody else was faster.
      [slot] = error.details.nextSlots;
    }
  }
  return booked;
}
