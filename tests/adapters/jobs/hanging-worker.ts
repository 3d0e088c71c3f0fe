// A process of its own that takes a request and never answers it: for the test that kills it.
import { startJobRunner } from '../../../adapters/jobs/runner.ts';

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error('Which database?');
const hang = () => {
  console.log('working');
  return new Promise<void>(() => undefined);
};
const log = { warn: console.error, error: console.error };
await startJobRunner({
  url,
  sweeps: {
    'verify-instruments': hang,
    'evaluate-due': hang,
    'grade-backtests': hang,
    'fold-cohorts': hang,
    'keep-log': hang,
    'build-atlas': hang,
    'observe-pegs': hang,
    'prune-expired': hang,
    'refresh-symbols': hang,
    'learn-names': hang,
    'deliver-webhooks': hang,
    'send-mails': hang,
    'erase-owners': hang,
    'reset-factors': hang,
    'publish-dataset': hang,
  },
  log,
});
