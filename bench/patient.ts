/** The patient that every contestant creates. */
export const patientFields = (clinicId: string) => ({
  clinicId,
  name: 'Benchmark',
  email: 'benchmark@example.com',
  phone: '+000',
  language: 'en',
});
