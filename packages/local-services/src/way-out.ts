import type { EngineName } from './engine.ts';
import type { Tried } from './sources/choose-source.ts';

const TITLE: Record<EngineName, string> = { mongodb: 'MongoDB', redis: 'Redis' };

const DOCKER =
  'docker run -d -p 127.0.0.1:27017:27017 mongo:8 && docker run -d -p 127.0.0.1:6379:6379 redis:7\n' +
  'and set MONGODB_URL=mongodb://127.0.0.1:27017 REDIS_URL=redis://127.0.0.1:6379';

const HOMEBREW: Record<EngineName, string> = {
  mongodb: 'brew tap mongodb/brew && brew install mongodb-community',
  redis: 'brew install redis',
};

/**
 * The message when no engine was found: the sources that were tried, the reason for each failure, and the simplest way
 * to install the engine on this system.
 */
export function noEngineText(name: EngineName, tried: readonly Tried[], platform: NodeJS.Platform): string {
  const list = tried.map(({ source, reason }) => `  - ${source}: ${reason}`);
  return [
    `No ${TITLE[name]} could be found or started. Tried, in this order:`,
    ...list,
    `The simplest solution${install(name, platform)} with Docker, which starts both:`,
    DOCKER,
  ].join('\n');
}

function install(name: EngineName, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return `:\n${HOMEBREW[name]}\nor`;
  if (platform === 'linux' && name === 'redis') return ':\nsudo apt-get install redis-server\nor';
  return ' is';
}
