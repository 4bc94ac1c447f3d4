/** The fields of the patients that the benches create through the api and in the database. */
export const patientFields = (clinicId: string) => ({
  clinicId,
  name: 'Benchmark',
  email: 'benchmark@example.com',
  phone: '+000',
  language: 'en',
});
