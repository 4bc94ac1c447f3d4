import { expect, it } from 'vitest';
import { packagesToInstall } from './apt.ts';

it('lists the packages that a simulated install would add', () => {
  const simulation = `Inst libjemalloc2 (5.3.0-1 Debian:12.15/oldstable [amd64])
Inst redis-tools (5:7.0.15-1~deb12u10 Debian-Security:12/oldstable-security [amd64])
Inst redis-server [5:6.0.1] (5:7.0.15-1~deb12u10 Debian-Security:12/oldstable-security [amd64])
Conf libjemalloc2 (5.3.0-1 Debian:12.15/oldstable [amd64])
`;
  expect(packagesToInstall(simulation)).toEqual(['libjemalloc2', 'redis-tools', 'redis-server']);
});
