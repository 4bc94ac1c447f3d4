import { startWholeService, testEngines, type WholeService } from '@chairside/test-support';
import { afterEach, expect, test } from 'vitest';

let service: WholeService;
afterEach(() => service.close());

/** What a library may do: it writes to the console and to stderr, warns, and throws where nothing catches. */
const library = `process.once('SIGUSR2', () => {
  console.error('canary', new Error('canary'));
  console.log('canary');
  process.emitWarning('canary');
  setTimeout(() => { throw new Error('canary'); });
})`;

test('every line of a service is JSON without foreign texts, whatever libraries and Node.js write', async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(library)}`;
  service = await startWholeService(testEngines().redisUrl, { dispatcher: false });
  await service.api.end('SIGTERM');
  await Promise.all([service.startApi({ NODE_OPTIONS }), service.startDispatcher({ NODE_OPTIONS })]);
  for (const process of [service.api, service.dispatcher]) {
    process.send('SIGUSR2');
    expect(await process.exited).toBe(1);
    expect(process.lines.filter(({ level }) => level === undefined)).toEqual([]);
    expect(JSON.stringify(process.lines)).not.toContain('canary');
    const messages = process.lines.filter(({ level }) => level >= 40).map(({ msg }) => msg);
    expect(messages.filter((each) => each === 'a library wrote to the console')).toHaveLength(2);
    expect(messages).toContain('a warning of Node.js');
    expect(messages.at(-1)).toBe('uncaught error');
  }
});
