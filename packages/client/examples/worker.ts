import { Chairside } from '@chairside/client';

export default {
  async fetch(
    request: Request,
    env: { CHAIRSIDE_URL: string; CHAIRSIDE_API_KEY: string },
  ): Promise<Response> {
    const chairside = new Chairside({ baseUrl: env.CHAIRSIDE_URL, apiKey: env.CHAIRSIDE_API_KEY });
    const clinics = await chairside.clinics.list({}, { signal: request.signal }).toArray();
    return Response.json(clinics.map(({ name }) => name));
  },
};
