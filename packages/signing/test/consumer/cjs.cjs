const synchronous = require('@chairside/signing');
const web = require('@chairside/signing/web');
const vectors = require('@chairside/signing/vectors.json');

async function main() {
  const { checkErrors, judge } = await import('./judge.mjs');
  const first = await judge('@chairside/signing', synchronous, vectors);
  const second = await judge('@chairside/signing/web', web, vectors);
  checkErrors(synchronous.SignatureError, web.SignatureError);
  console.log(`cjs: ${first} + ${second} rows`);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
