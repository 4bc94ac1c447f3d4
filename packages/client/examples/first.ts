import { Chairside } from '@chairside/client';

export async function main() {
  const chairside = new Chairside({
    baseUrl: process.env.CHAIRSIDE_URL,
    apiKey: process.env.CHAIRSIDE_API_KEY,
  });
  for await (const patient of chairside.patients.list({ updatedSince: new Date('2020-01-01T00:00:00Z') })) {
    console.log(patient._id, patient.name);
  }
}
