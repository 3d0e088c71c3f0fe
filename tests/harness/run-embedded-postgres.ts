// A program around the embedded database for tests to kill: `run-embedded-postgres.ts DATA_DIR`. It prints
// the address of the database, lives until SIGTERM, and answers SIGINT with a line, as an application that drains first would.
import { startEmbeddedPostgres } from '../../infrastructure/embedded-postgres/embedded-postgres.ts';

// As the service has it.
process.umask(0o077);

// Ends when the tests end, in any way.
process.stdin
  .on('end', () => process.exit(1))
  .resume()
  .unref();

const postgres = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', log: () => undefined });
const alive = setInterval(() => undefined, 60_000);
process.on('SIGINT', () => console.log('interrupted'));
process.once('SIGTERM', async () => {
  await postgres.stop();
  clearInterval(alive);
});
const { pid, url, serviceUrl } = postgres;
console.log(JSON.stringify({ pid, url, serviceUrl }));
