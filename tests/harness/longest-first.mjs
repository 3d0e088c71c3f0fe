// Suites that take long begin first, so that no worker is left with one at the end. Jest itself goes by file size until
// it has seen a run.
import Sequencer from '@jest/test-sequencer';

/** Parts of paths, the longest first. */
const LONG = [
  'contracts/cohort-reader',
  'authorisation/matrix',
  'whole/stopping',
  'application/circuits/played-days',
  'whole/demo',
  'whole/evidence-log',
  'contracts/log-store',
  'whole/crash',
  'agent/wisdom-campaign',
  'adapters/jobs/runner',
  'contracts/decision-records',
  'authorisation/negative-controls',
  'whole/operator',
  'kit/data-source',
  'postgres/unhurried',
  'tests/whole/',
  'contracts/atlas-store',
  'contracts/owner-records',
  'grading/look-ahead',
  'log/hostile-witness',
  'commands/market-data',
  'kit/replica',
  'agent/lifecycle',
  'embedded-postgres/embedded-postgres',
  'contracts/',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => LONG.findIndex((part) => path.includes(part)) + 1 || LONG.length + 1;
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
