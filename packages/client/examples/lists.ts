import type { Chairside } from '@chairside/client';

export async function read(chairside: Chairside, clinicId: string) {
  // Reads a list of any length row by row. The next page of 1,000 rows is requested while you process the current one.
  const languages = new Map<string, number>();
  for await (const { language = 'unknown' } of chairside.patients.list({ clinicId })) {
    languages.set(language, (languages.get(language) ?? 0) + 1);
  }

  // Reads all rows into memory, with only these fields.
  const names = await chairside.patients.list({ clinicId, fields: ['name'] }).toArray();

  // Finds patients by the beginnings of their names. `phone` finds them by the last six or more digits.
  const found = await chairside.patients.list({ name: 'ada bei' }).toArray();

  // Reads one page, for example for a table with a "Next" button.
  const appointments = chairside.appointments.list({ clinicId, startTime: new Date() }, { pageSize: 20 });
  const first = await appointments.page();
  const second = first.nextCursor === undefined ? undefined : await appointments.page(first.nextCursor);

  return { languages, names, found, first, second };
}
