import type { Chairside } from '@chairside/client';

export async function book(chairside: Chairside, clinicId: string) {
  const patient = await chairside.patients.create({
    clinicId,
    name: 'Ada Beispiel',
    phone: '+1 202 555 0100',
  });

  const appointment = await chairside.appointments.create({
    clinicId,
    patientId: patient._id,
    startTime: '2030-01-31T09:30:00Z',
    endTime: '2030-01-31T10:00:00Z',
  });

  // The other fields stay as they are. `null` clears a field.
  await chairside.patients.update(patient._id, { language: 'en', phone: null });

  // Reads the appointment, then writes the change. If somebody has changed the appointment in between, it repeats both.
  return chairside.appointments.edit(appointment._id, ({ procedures }) => ({
    procedures: [...procedures, { procedureId: 'check-up', name: 'Check-up', price: '80.00' }],
  }));
}
