// A child of `--against`: opens the stage of a checkout by the code of that checkout, says how to reach it, and closes it
// when its parent says so or ends: `node other-stage.ts ROOT WORKERS`.
import { join } from 'node:path';

const [, , root = '', workers = '1'] = process.argv;
const { openStage } = (await import(join(root, 'tests/campaigns/bench/stage.ts'))) as typeof import('./stage.ts');
const stage = await openStage(Number(workers));
process.once('disconnect', async () => {
  await stage.close();
  process.exit();
});
const { population, service, database } = stage;
process.send?.({ population, service: { pid: service.pid, port: service.port }, database: { pid: database.pid } });
