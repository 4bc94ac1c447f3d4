const client = require('@chairside/client');

async function main() {
  const { judge } = await import('./judge.mjs');
  const { judgeSocket } = await import('./judge-socket.mjs');
  console.log(`cjs: ${(await judge(client)) + (await judgeSocket(client))} right`);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
