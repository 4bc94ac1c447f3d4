import { randomBytes } from 'node:crypto';
import type { TestOperator } from './practice.ts';

/** A browser without scripts. It sends cookies by path, and does not follow redirects by itself. */
export class Browser {
  readonly #cookies = new Map<string, { name: string; value: string; path: string }>();
  readonly origin: string;
  /** Each browser is in a network of its own, so that it has its own limits. */
  readonly address = `10.${randomBytes(3).join('.')}`;
  constructor(origin: string) {
    this.origin = origin;
  }

  get names(): string[] {
    return [...this.#cookies.values()].map(({ name }) => name);
  }

  async fetch(url: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
    const target = new URL(url, this.origin);
    const isFor = (path: string) =>
      target.pathname === path || target.pathname.startsWith(path === '/' ? '/' : `${path}/`);
    const cookie = [...this.#cookies.values()]
      .filter(({ path }) => isFor(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const response = await fetch(target, {
      ...init,
      redirect: 'manual',
      headers: { 'x-forwarded-for': this.address, ...(cookie && { cookie }), ...init.headers },
    });
    for (const header of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = header.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/';
      if (/expires=Thu, 01 Jan 1970/i.test(header)) this.#cookies.delete(`${name} ${path}`);
      else this.#cookies.set(`${name} ${path}`, { name, value, path });
    }
    return response;
  }

  get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(url, { headers });
  }

  post(url: string, body: object, origin: string = this.origin): Promise<Response> {
    return this.fetch(url, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  async signIn({ email, password }: Pick<TestOperator, 'email' | 'password'>): Promise<void> {
    const response = await this.post('/session', { email, password });
    if (!response.ok) throw new Error(`the sign-in failed with ${response.status}`);
  }
}
